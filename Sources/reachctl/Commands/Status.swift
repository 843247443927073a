// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `reachctl status`.
struct Status: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the reachability of targets, and end.",
        discussion: """
            One line a target, in the order given: the words of 'scutil -r', such as \
            "Reachable,Directly Reachable Address". With several targets the target and a tab come \
            first. On a terminal the reason and the interface follow, as in \
            "Not Reachable (linkDown) eth0"; a pipe or a file gets the words alone. Exit status 0 if \
            every target is reachable without the user's help, 1 if one is not.

            JSON: target (as given), kind (address, addressPair, internet, localWiFi, name), flags \
            (number), words, letters ("WR tcCiDld"), status (notReachable, reachableViaWWAN, \
            reachableViaWiFi), interface {index, name, class}, source, gateway, addresses (of a name), \
            reason (why it is not reachable), resolution (of a name: pending, done), error (the kernel's \
            answer, a number of errno.h). A missing value is null.
            """)

    @OptionGroup var options: TargetOptions

    @Option(
        help: ArgumentHelp(
            "How long to wait for names to be resolved; 0 does not wait.", valueName: "seconds"),
        transform: Status.parseTimeout)
    var timeout: Double = 30

    func perform() throws {
        let targets = try options.resolved()
        var output = Output()
        let snapshots = try settle(targets)
        for (target, snapshot) in zip(targets, snapshots) {
            let report = Report(target: target, snapshot: snapshot)
            try output.line(
                options.common.json
                    ? report.json()
                    : report.text(isLabelled: targets.count > 1, isTerminal: output.isTerminal))
        }
        try output.flush()
        guard snapshots.allSatisfy(\.status.isReachable) else { throw ExitCode(1) }
    }

    /// The state of each target: the final one, or the current one after the timeout.
    private func settle(_ targets: [Target]) throws(Failure) -> [ReachabilitySnapshot] {
        let monitoring = try Monitoring(targets, in: options.common.namespace, once: true)
        let waiter = Waiter()
        var snapshots = [ReachabilitySnapshot?](repeating: nil, count: targets.count)
        let end = monotonicMilliseconds() + Int64(timeout * 1000)
        while true {
            for change in try monitoring.changes() {
                snapshots[change.position] = change.snapshot
            }
            let known = snapshots.compactMap { $0 }
            let rest = end - monotonicMilliseconds()
            let isComplete = known.count == targets.count
            let isFinal = known.allSatisfy { $0.resolution != .pending }
            if isComplete && (isFinal || rest <= 0) { return known }
            var descriptors = [monitoring.descriptor]
            _ = try waiter.wait(for: &descriptors, milliseconds: isComplete ? rest : nil)
        }
    }

    private static func parseTimeout(_ text: String) throws -> Double {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
            throw ValidationError("a number of seconds, 0 or more")
        }
        return seconds
    }
}
