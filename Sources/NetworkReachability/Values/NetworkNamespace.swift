// SPDX-License-Identifier: MIT

/// A network namespace: a set of interfaces, addresses, and routes.
///
///     let target = ReachabilityTarget.internet.with(namespace: .named("blue"))
///     print(try NetworkReachabilityManager(target: target).currentSnapshot())
///     print(try NetworkInterface.all(in: .named("blue")))
///
/// The library opens it when you start a manager or query a snapshot. Every namespace but ``current`` requires
/// CAP_SYS_ADMIN.
public enum NetworkNamespace: Hashable, Sendable {
    /// The namespace of the thread that starts monitoring.
    case current

    /// A namespace created with `ip netns add`: a file in `/run/netns`.
    case named(String)

    /// The path of a namespace file such as `/proc/1/ns/net`.
    case path(String)

    /// The namespace of a process, by its id.
    case process(Int32)
}

extension NetworkNamespace: CustomStringConvertible {
    /// The name, path, or process id; `current` for the current namespace.
    public var description: String {
        switch self {
        case .current: "current"
        case .named(let name): name
        case .path(let path): path
        case .process(let process): "\(process)"
        }
    }
}
