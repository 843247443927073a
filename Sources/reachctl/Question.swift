// SPDX-License-Identifier: MIT
import CReach
import Glibc

/// How targets are asked for: the traffic the question is about.
struct Question {
    var interface: String?
    var mark: UInt32 = 0
    var uid: UInt32 = UInt32.max
    var policy = reach_name_policy.REACH_NAME_OPTIMISTIC

    /// Calls `body` with `target` as the library takes it.
    func with<Result>(
        _ target: Target, _ body: (UnsafePointer<reach_target>) -> Result
    ) -> Result {
        unsafe target.name.withCString { name in
            var core = unsafe reach_target()
            unsafe reach_target_init(&core, target.kind)
            unsafe core.policy = policy.rawValue
            unsafe core.remote = target.remote
            unsafe core.local = target.local
            if target.kind == .REACH_TARGET_NAME { unsafe core.name = unsafe name }
            unsafe core.mark = mark
            unsafe core.uid = uid
            if let interface = target.interface ?? interface {
                unsafe withUnsafeMutableBytes(of: &core.interface_name) { bytes in
                    unsafe bytes.copyBytes(from: interface.utf8.prefix(bytes.count - 1))
                }
            }
            return unsafe body(&core)
        }
    }

    /// Whether `target` can be asked for in this way.
    func check(_ target: Target) throws(BadTarget) {
        if let own = target.interface, let interface, own != interface {
            throw BadTarget(
                message: "'\(target.text)' names another interface than --interface \(interface)")
        }
        let result = unsafe with(target) { core in unsafe reach_target_validate(core) }
        guard result == 0 else {
            throw BadTarget(
                message:
                    "'\(target.text)' cannot be watched with these options: \(errorText(-result))")
        }
    }
}
