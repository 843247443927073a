// SPDX-License-Identifier: MIT

/// A network namespace: which set of interfaces, addresses and routes is meant.
///
/// Nothing is opened until a manager starts or a snapshot is asked for. Every namespace but
/// ``current`` needs CAP_SYS_ADMIN.
public enum NetworkNamespace: Hashable, Sendable {
    /// That of the thread that starts monitoring.
    case current

    /// One that `ip netns add` made, a file in `/run/netns`.
    case named(String)

    /// A file such as `/proc/1/ns/net`.
    case path(String)

    /// That of a process.
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
