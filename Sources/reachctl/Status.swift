// SPDX-License-Identifier: MIT
import ArgumentParser
import CReach
import Glibc

/// `reachctl status`.
struct Status: Subcommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the reachability of targets, and end.",
        discussion: """
            One line a target, in the order given: the words of 'scutil -r', such as \
            "Reachable,Directly Reachable Address". With several targets the target and a tab stand \
            before them. Exit status 0 if every target is reachable without a person's help, 1 if one \
            is not.
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
        let states = try settle(targets)
        for (target, state) in zip(targets, states) {
            let report = Report(target: target, state: state)
            try output.line(
                options.common.json ? report.json() : report.text(isLabelled: targets.count > 1))
        }
        try output.flush()
        guard states.allSatisfy({ $0.status > reach_status.REACH_STATUS_NOT_REACHABLE.rawValue })
        else {
            throw ExitCode(1)
        }
    }

    /// The state of each target: final, or what it is when the time is over.
    private func settle(_ targets: [Target]) throws(Failure) -> [reach_state] {
        let monitor = try options.common.monitor()
        let waiter = Waiter()
        let question = options.question
        var positions: [UInt64: Int] = [:]
        for (position, target) in targets.enumerated() {
            positions[try monitor.add(target, asking: question)] = position
        }
        var states = [reach_state?](repeating: nil, count: targets.count)
        let end = monotonicMilliseconds() + Int64(timeout * 1000)
        while true {
            try monitor.dispatch()
            for change in monitor.changes() {
                if let position = positions[change.target] { states[position] = change.state }
            }
            let known = states.compactMap { $0 }
            let rest = end - monotonicMilliseconds()
            let isComplete = known.count == targets.count
            if isComplete && (rest <= 0 || known.allSatisfy(\.isFinal)) { return known }
            _ = try waiter.wait(for: monitor, milliseconds: isComplete ? rest : nil)
        }
    }

    private static func parseTimeout(_ text: String) throws -> Double {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else {
            throw ValidationError("a number of seconds, 0 or more")
        }
        return seconds
    }
}

extension reach_state {
    /// Whether no resolution is under way that could still change it.
    fileprivate var isFinal: Bool {
        resolution != reach_resolution.REACH_RESOLUTION_PENDING.rawValue
    }
}

private func monotonicMilliseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
