// SPDX-License-Identifier: MIT

extension NetworkInterface {
    /// Returns the interfaces of a network namespace, sorted by index.
    ///
    /// Opens a monitor for the duration of the call, and waits for the kernel's answer.
    ///
    /// - Parameter namespace: The network namespace.
    /// - Returns: Every interface, including loopback.
    /// - Throws: ``ReachabilityError`` if the namespace cannot be opened or the kernel has no rtnetlink;
    ///   see ``ReachabilityError/Code``.
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
