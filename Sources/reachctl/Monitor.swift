// SPDX-License-Identifier: MIT
import CReach
import Glibc

/// The owner of a monitor.
@safe
struct Monitor: ~Copyable {
    private let handle: OpaquePointer

    init() throws(Failure) {
        unsafe handle = try Monitor.open(namespace: -1, of: "this network namespace")
    }

    init(in namespace: borrowing Namespace) throws(Failure) {
        unsafe handle = try Monitor.open(
            namespace: namespace.number, of: "network namespace '\(namespace.text)'")
    }

    deinit {
        unsafe reach_monitor_close(handle)
    }

    private static func open(namespace: Int32, of subject: String) throws(Failure) -> OpaquePointer
    {
        var options = unsafe reach_monitor_options()
        unsafe reach_monitor_options_init(&options)
        unsafe options.netns_fd = namespace
        var handle: OpaquePointer?
        let result = unsafe reach_monitor_open(&handle, &options)
        guard result == 0, let handle = unsafe handle else {
            let mend: String? =
                switch -result {
                case EPERM, EACCES: Failure.privilege
                case EPROTONOSUPPORT, EAFNOSUPPORT: "allow AF_NETLINK sockets here (a sandbox?)"
                case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
                default: nil
                }
            throw .system("cannot watch \(subject)", -result, mend: mend)
        }
        return unsafe handle
    }

    /// The descriptor to poll.
    var descriptor: pollfd {
        pollfd(fd: unsafe reach_monitor_fd(handle), events: Int16(POLLIN), revents: 0)
    }

    /// Adds a target and returns its id.
    func add(_ target: Target, asking question: Question) throws(Failure) -> UInt64 {
        var id: UInt64 = 0
        let result = unsafe question.with(target) { core in
            unsafe reach_monitor_add(handle, core, &id)
        }
        guard result == 0 else { throw .system("cannot watch '\(target.text)'", -result) }
        return id
    }

    /// Does what is due.
    func dispatch() throws(Failure) {
        let result = unsafe reach_monitor_dispatch(handle)
        guard result >= 0 else { throw .system("the kernel's events cannot be read", -result) }
    }

    /// The changes since the last call, in the order in which the targets were added.
    ///
    /// There is one for a target at most.
    func changes() -> [reach_change] {
        var result: [reach_change] = []
        var change = reach_change()
        change.size = MemoryLayout<reach_change>.size
        while unsafe reach_monitor_next(handle, &change) == 1 {
            result.append(change)
        }
        return result.sorted { $0.target < $1.target }
    }

    /// All interfaces by index.
    ///
    /// There are none before the first dispatch.
    func interfaces() -> [reach_interface] {
        var result: [reach_interface] = []
        var interface = reach_interface()
        interface.size = MemoryLayout<reach_interface>.size
        while unsafe reach_monitor_interface(handle, interface.index, &interface) == 1 {
            result.append(interface)
        }
        return result
    }
}

extension Waiter {
    /// Waits for `monitor`; false if a caught signal came instead.
    func wait(
        for monitor: borrowing Monitor, milliseconds: Int64? = nil
    ) throws(Failure) -> Bool {
        var descriptors = [monitor.descriptor]
        return try wait(for: &descriptors, milliseconds: milliseconds)
    }
}
