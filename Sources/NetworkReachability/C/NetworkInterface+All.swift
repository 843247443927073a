// SPDX-License-Identifier: MIT

extension NetworkInterface {
    /// The interfaces of a network namespace, sorted by index.
    ///
    /// A short-lived monitor asks the kernel; nothing stays open. The call waits for the kernel's
    /// answer and nothing else.
    ///
    /// - Parameter namespace: Where to look.
    /// - Returns: Every interface, the loopback one too.
    /// - Throws: What opening `namespace` or a monitor in it throws; see ``ReachabilityError/Code``.
    public static func all(
        in namespace: NetworkNamespace = .current
    ) throws(ReachabilityError) -> [NetworkInterface] {
        let handle = try MonitorHandle(namespace: namespace, once: true)
        do throws(ReachabilityErrno) {
            _ = try handle.dispatch()
        } catch {
            throw .system(error, doing: "listing the interfaces")
        }
        return handle.interfaces()
    }
}
