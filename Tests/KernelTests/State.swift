// SPDX-License-Identifier: MIT
import CReach
import Testing

/// A flags word that prints as words.
struct Flags: OptionSet, Hashable, CustomStringConvertible {
    let rawValue: UInt32

    static let transient = Flags(rawValue: 1 << 0)
    static let reachable = Flags(rawValue: 1 << 1)
    static let connectionRequired = Flags(rawValue: 1 << 2)
    static let onTraffic = Flags(rawValue: 1 << 3)
    static let interventionRequired = Flags(rawValue: 1 << 4)
    static let local = Flags(rawValue: 1 << 16)
    static let direct = Flags(rawValue: 1 << 17)
    static let wwan = Flags(rawValue: 1 << 18)

    /// The flags of the host's own addresses, except loopback ones.
    static let own: Flags = [.reachable, .local, .direct]

    var description: String {
        var text = [CChar](repeating: 0, count: Int(REACH_FLAGS_WORDS_SIZE))
        let length = unsafe reach_flags_words(rawValue, &text, text.count)
        return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Reads a numeric address.
func address(_ text: String) throws -> reach_address {
    var result = reach_address()
    try SystemFailure.check("address '\(text)'", unsafe reach_address_parse(text, &result))
    return result
}

/// The text of an address, "" for none.
func text(of address: reach_address) -> String {
    var copy = address
    var text = [CChar](repeating: 0, count: Int(REACH_ADDRESS_TEXT_SIZE))
    let length = unsafe reach_address_format(&copy, &text, text.count)
    return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The state of a target: `struct reach_state` as a value that can be compared and printed.
struct State: Equatable, CustomStringConvertible {
    var flags: Flags
    var reason: String
    var error: CInt
    var interface: UInt32
    var interfaceClass: UInt32
    var interfaceName: String
    var source: String
    var gateway: String
    var resolution: UInt32
    var addresses: [String]

    init(_ state: reach_state) {
        flags = Flags(rawValue: state.flags)
        reason = unsafe String(cString: reach_reason_name(state.reason))
        error = state.error
        interface = state.interface_index
        interfaceClass = state.interface_class
        interfaceName = unsafe withUnsafeBytes(of: state.interface_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        source = text(of: state.source)
        gateway = text(of: state.gateway)
        resolution = state.resolution
        addresses = unsafe withUnsafeBytes(of: state.addresses) { bytes in
            let all = unsafe bytes.bindMemory(to: reach_address.self)
            return unsafe all.prefix(Int(state.address_count)).map(text(of:))
        }
    }

    /// Whether a change between the two states must be published.
    func differs(from other: State) -> Bool {
        // While the target is unreachable, another interface is no change.
        let interfaces = [self, other].map { $0.flags.isEmpty ? 0 : $0.interface }
        return flags != other.flags || interfaces[0] != interfaces[1]
            || resolution != other.resolution || Set(addresses) != Set(other.addresses)
    }

    var description: String {
        "\(flags) [\(reason) \(error)] \(interfaceName)(\(interface)) src \(source) via \(gateway)"
            + (addresses.isEmpty ? "" : " \(addresses)")
    }
}

/// A target as the tests write it.
struct Target: Sendable, CustomStringConvertible {
    var kind = reach_target_kind.REACH_TARGET_ADDRESS
    var remote = ""
    var local = ""
    var name = ""
    var policy = reach_name_policy.REACH_NAME_OPTIMISTIC
    var interfaceName = ""
    var interfaceIndex: UInt32 = 0
    var mark: UInt32 = 0
    var uid = UInt32.max

    static let internet = Target(kind: .REACH_TARGET_INTERNET)
    static let localWiFi = Target(kind: .REACH_TARGET_LOCAL_WIFI)

    static func address(_ remote: String) -> Target { Target(remote: remote) }

    static func pair(_ local: String, _ remote: String) -> Target {
        Target(kind: .REACH_TARGET_ADDRESS_PAIR, remote: remote, local: local)
    }

    static func name(_ name: String, strict: Bool = false) -> Target {
        Target(
            kind: .REACH_TARGET_NAME, name: name,
            policy: strict ? .REACH_NAME_STRICT : .REACH_NAME_OPTIMISTIC)
    }

    var description: String {
        let what = [local, remote, name].filter { !$0.isEmpty }.joined(separator: " -> ")
        var words = [what.isEmpty ? "kind \(kind.rawValue)" : what]
        if !interfaceName.isEmpty { words.append("dev \(interfaceName)") }
        if interfaceIndex != 0 { words.append("index \(interfaceIndex)") }
        if mark != 0 { words.append("mark \(mark)") }
        if uid != .max { words.append("uid \(uid)") }
        return words.joined(separator: " ")
    }

    /// Calls `body` with the C form, whose strings are valid during the call.
    func withC<Result>(_ body: (inout reach_target) throws -> Result) throws -> Result {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, kind)
        unsafe target.policy = policy.rawValue
        if !remote.isEmpty { unsafe target.remote = try KernelTests.address(remote) }
        if !local.isEmpty { unsafe target.local = try KernelTests.address(local) }
        unsafe target.interface_index = interfaceIndex
        unsafe target.mark = mark
        unsafe target.uid = uid
        unsafe withUnsafeMutableBytes(of: &target.interface_name) { bytes in
            unsafe bytes.copyBytes(from: interfaceName.utf8.prefix(bytes.count - 1))
        }
        return try unsafe name.withCString { pointer in
            if !name.isEmpty { unsafe target.name = pointer }
            return try unsafe body(&target)
        }
    }
}
