// SPDX-License-Identifier: MIT

/// A network namespace: a set of interfaces, addresses and routes.
///
///     let target = ReachabilityTarget.internet.with(namespace: .named("blue"))
///     print(try NetworkReachabilityManager(target: target).currentSnapshot())
///     print(try NetworkInterface.all(in: .named("blue")))
///
/// It is opened when a manager starts or a snapshot is queried. Every namespace but ``current`` needs
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
    /// The name, path or process id, or `current`.
    public var description: String {
        switch self {
        case .current: "current"
        case .named(let name): name
        case .path(let path): path
        case .process(let process): "\(process)"
        }
    }
}
