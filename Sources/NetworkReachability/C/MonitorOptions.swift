// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import CReach
internal import ReachLibc

/// The options of a monitor.
///
/// Tests set their own sysfs, /etc, and resolver. Only sessions with the same options object share a monitor.
package final class MonitorOptions: Sendable {
    /// Resolves a name, on a worker thread.
    package typealias Resolver = @Sendable (_ name: String) -> [NetworkAddress]

    /// Called after a monitor with these options was closed, on any thread.
    let onClose: (@Sendable () -> Void)?
    /// Called before the monitor reads events; if it returns an error, that is thrown instead.
    let fault: (@Sendable () -> ReachabilityErrno?)?
    /// Nanoseconds that a monitor stays open after its last target; a program that starts and stops
    /// repeatedly reuses it.
    let linger: UInt64
    private let sysfsRoot: String?
    let etcRoot: String?
    private let resolver: Resolver?

    package static let standard = MonitorOptions(linger: 5_000_000_000)

    // A worker thread may call the resolver after the monitor was closed, at an unknown time. Options with
    // a resolver are therefore never released.
    private static let immortal = Lock<[MonitorOptions]>([])

    /// - Parameters:
    ///   - sysfsRoot: Where sysfs is mounted; nil for /sys, "" for nowhere.
    ///   - etcRoot: The directory of resolv.conf and hosts; nil for /etc, "" for none.
    ///   - resolver: Replaces `getaddrinfo()`.
    ///   - fault: Called before the monitor reads events; if it returns an error, that is thrown instead.
    ///   - linger: Nanoseconds that a monitor stays open after its last target.
    ///   - onClose: Called after a monitor was closed.
    package init(
        sysfsRoot: String? = nil, etcRoot: String? = nil, resolver: Resolver? = nil,
        fault: (@Sendable () -> ReachabilityErrno?)? = nil, linger: UInt64 = 0,
        onClose: (@Sendable () -> Void)? = nil
    ) {
        self.linger = linger
        self.onClose = onClose
        self.fault = fault
        self.sysfsRoot = sysfsRoot
        self.etcRoot = etcRoot
        self.resolver = resolver
        if resolver != nil { Self.immortal.withLock { $0.append(self) } }
    }

    /// The DNS configuration that monitors with these options watch.
    var resolverConfiguration: ResolverConfiguration {
        ResolverConfiguration(at: "\(etcRoot ?? "/etc")/resolv.conf")
    }

    /// Calls `body` with the C struct, which is valid during the call only.
    ///
    /// - Parameters:
    ///   - namespace: The network namespace.
    ///   - once: Whether only first states are reported, which needs no multicast groups.
    ///   - body: Called with the options.
    /// - Returns: What `body` returns.
    func withCValue(
        namespace: borrowing OpenNamespace, once: Bool = false,
        _ body: (UnsafePointer<reach_monitor_options>) -> CInt
    ) -> CInt {
        let texts = unsafe [sysfsRoot, etcRoot, namespace.path].map { text in
            unsafe text.flatMap { unsafe strdup($0) }
        }
        defer { unsafe texts.forEach { unsafe free($0) } }
        var options = unsafe reach_monitor_options()
        unsafe reach_monitor_options_init(&options)
        unsafe options.netns_fd = namespace.descriptor
        unsafe options.netns_path = UnsafePointer(texts[2])
        unsafe options.once = once ? 1 : 0
        unsafe options.sysfs_root = UnsafePointer(texts[0])
        unsafe options.etc_root = UnsafePointer(texts[1])
        if resolver != nil {
            unsafe options.resolve = resolve
            unsafe options.resolve_context = Unmanaged.passUnretained(self).toOpaque()
        }
        return unsafe body(&options)
    }

    fileprivate func addresses(of name: String) -> [NetworkAddress] {
        resolver?(name) ?? []
    }
}

private func resolve(
    context: UnsafeMutableRawPointer?, name: UnsafePointer<CChar>?,
    addresses: UnsafeMutablePointer<reach_address>?, capacity: Int
) -> CInt {
    guard let context = unsafe context, let name = unsafe name, let addresses = unsafe addresses
    else { return 0 }
    let options = unsafe Unmanaged<MonitorOptions>.fromOpaque(context).takeUnretainedValue()
    let found = unsafe options.addresses(of: String(cString: name)).prefix(capacity)
    for (index, address) in found.enumerated() {
        unsafe addresses[index] = address.cValue
    }
    return CInt(found.count)
}
#endif
