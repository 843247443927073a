// SPDX-License-Identifier: MIT
import Glibc
import NetworkReachability

/// A monitor and the targets it was given.
struct Monitoring: ~Copyable {
    private let monitor: MonitorHandle
    private let positions: [UInt64: Int]

    /// Opens a monitor for `targets`, all of one namespace.
    init(_ targets: [Target], in namespace: NetworkNamespace) throws(Failure) {
        do {
            try self.init(adding: targets, in: namespace)
        } catch {
            throw .system(error)
        }
    }

    private init(
        adding targets: [Target], in namespace: NetworkNamespace
    ) throws(ReachabilityError) {
        let monitor = try MonitorHandle(namespace: namespace)
        var positions: [UInt64: Int] = [:]
        for (position, target) in targets.enumerated() {
            positions[try monitor.add(target.meaning)] = position
        }
        self.monitor = monitor
        self.positions = positions
    }

    /// The descriptor to poll.
    var descriptor: pollfd {
        pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
    }

    /// Does what is due, and tells what changed by position, one change a target at most.
    func changes() throws(Failure) -> [(position: Int, snapshot: ReachabilitySnapshot)] {
        var result: [(position: Int, snapshot: ReachabilitySnapshot)] = []
        do {
            _ = try monitor.dispatch()
            while let change = try monitor.next() {
                guard let position = positions[change.id] else { continue }
                result.append((position, change.snapshot))
            }
        } catch {
            throw .system("the kernel's events cannot be read", error.rawValue)
        }
        return result.sorted { $0.position < $1.position }
    }
}
