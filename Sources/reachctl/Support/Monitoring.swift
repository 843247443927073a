// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachLibc

/// A monitor of the targets' first states, and the position of each target in the caller's list.
struct Monitoring: ~Copyable {
    private let monitor: MonitorHandle
    private let positions: [UInt64: Int]

    init(
        _ targets: [Target], in namespace: NetworkNamespace, facts: [InterfaceFacts] = []
    ) throws(Failure) {
        do {
            let monitor = try MonitorHandle(namespace: namespace, once: true)
            var positions: [UInt64: Int] = [:]
            for (position, target) in targets.enumerated() {
                positions[try monitor.add(target.meaning, reporting: .path)] = position
            }
            monitor.setFacts(facts)
            self.monitor = monitor
            self.positions = positions
        } catch {
            throw .system(error)
        }
    }

    /// Reads the kernel's answers into the states of the targets.
    private func read(into snapshots: inout [ReachabilitySnapshot?]) throws(Failure) {
        do {
            _ = try monitor.dispatch()
            while let change = try monitor.next() {
                if let position = positions[change.id] { snapshots[position] = change.snapshot }
            }
        } catch {
            throw .system(.system(error, doing: "reading the kernel's events"))
        }
    }

    /// Waits for the states of all `count` targets.
    ///
    /// Returns the final states, or the current ones after `timeout` seconds. After one second without an answer for
    /// a name, standard error says what is awaited.
    func finalSnapshots(_ count: Int, timeout: Double) throws(Failure) -> [ReachabilitySnapshot] {
        let waiter = Waiter()
        var snapshots = [ReachabilitySnapshot?](repeating: nil, count: count)
        let start = monotonicMilliseconds()
        let end = start + Int64(timeout * 1000)
        var notice = min(start + 1000, end)
        while true {
            try read(into: &snapshots)
            let known = snapshots.compactMap { $0 }
            let now = monotonicMilliseconds()
            let rest = end - now
            let isComplete = known.count == count
            let isFinal = known.allSatisfy { $0.resolution != .pending }
            if isComplete && (isFinal || rest <= 0) { return known }
            if isComplete, now >= notice {
                mention(
                    "no name server has answered yet; waiting up to \((rest + 999) / 1000) s more")
                notice = end
            }
            var descriptors = [
                pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
            ]
            _ = try waiter.wait(for: &descriptors, milliseconds: isComplete ? notice - now : nil)
        }
    }

    /// Explains the latest state of a target, which must have one.
    func explanation(of position: Int) throws(Failure) -> ReachabilityExplanation {
        guard let id = positions.first(where: { $0.value == position })?.key else {
            throw .system("a target is not watched", ENOENT)
        }
        do {
            return try monitor.explain(id)
        } catch {
            throw .system("the state cannot be explained", error.rawValue)
        }
    }
}
