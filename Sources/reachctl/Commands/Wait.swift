// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability
import ReachabilityConnectivity
import ReachLibc

/// `reachctl wait`.
struct Wait: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until targets are reachable, all at the same time.",
        discussion: """
            Without a target, waits for the internet. Prints to standard error which targets don't qualify yet and why, at the start and when a reason \
            changes. At the end, prints the output of 'status' for each target. A name counts once it is \
            resolved.

            Sleeps until the kernel reports an event, and never polls. Sends only DNS queries, so the \
            remote host may still be down. --connectivity also probes a server when the path of the first \
            target changes, and again (after 5 seconds, then doubling) after any unexpected answer. For \
            systemd units, see reachctl-wait@.service.

            EXIT STATUS:
              0     the targets are reachable, immediately or after a change
              1     the timeout passed first
              64    bad usage
              71    a system error
              130   ended by SIGINT
              143   ended by SIGTERM

            EXAMPLES:
              reachctl wait --timeout 30 db.example.com && ./start
                  Start a program once its database can be reached.
              reachctl wait --any --stable 2 db1.example.com db2.example.com
                  Wait until one of two hosts has been reachable for two seconds.
              reachctl wait --connectivity http://www.example.com/generate_204
                  Wait until this host is online, and past the login page of a hotel.
              reachctl wait --interface wlan0 internet
                  Wait until Wi-Fi leads to the internet, even if a cable is preferred.
              reachctl wait --unreachable -q internet
                  Wait silently until this host is offline.
            """)

    @OptionGroup var options: TargetOptions

    @OptionGroup var quiet: QuietOptions

    @OptionGroup var text: TextOptions

    @OptionGroup var probe: ConnectivityOptionGroup

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "The longest time to wait (default: no limit); 0 checks the current state once.",
            valueName: "seconds"),
        transform: parseSeconds)
    var timeout: Double?

    @Flag(help: "Wait for one of the targets instead of all.")
    var any = false

    @Flag(help: "Wait until targets are not reachable.")
    var unreachable = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long the condition must hold without interruption (default: 0).",
            valueName: "seconds"),
        transform: parseSeconds)
    var stable: Double = 0

    func validate() throws {
        guard unreachable, probe.connectivity != nil else { return }
        throw ValidationError("--unreachable and --connectivity contradict each other")
    }

    func perform() throws {
        let targets = try options.resolved()
        let waiter = try Waiter(catching: [SIGINT, SIGTERM])
        let inbox = try Inbox(targets: targets.count, threads: 2 + probe.threads)
        let monitor = try probe.monitor(of: targets[0], to: inbox)
        defer { withExtendedLifetime(monitor) {} }
        try inbox.watch(targets)
        let end = timeout.map { monotonicMilliseconds() + Int64($0 * 1000) }
        var condition = WaitCondition(
            count: targets.count, any: any, unreachable: unreachable,
            stable: Int64(stable * 1000), end: end)
        var progress = WaitProgress(targets, isQuiet: quiet.quiet)
        var refusal: Failure?
        if monitor != nil { condition.isConnected = false }
        while true {
            refusal = try Self.take(inbox.take(), &condition) ?? refusal
            let now = monotonicMilliseconds()
            switch condition.step(now) {
            case .reached:
                _ = try report(targets, condition, to: waiter)
                return
            case .timedOut:
                let reports = try report(targets, condition, to: waiter)
                progress.end("timed out", condition)
                try reports.checkResources()
                throw ExitCode.failure
            case .wait(let limit):
                if let refusal, condition.isFinal { throw refusal }
                if !condition.snapshots.contains(nil) { progress.tell(condition) }
                var descriptors = [inbox.polled]
                guard try waiter.wait(for: &descriptors, milliseconds: limit.map { $0 - now })
                else {
                    progress.end("interrupted", condition)
                    throw ExitCode(128 + (waiter.caughtSignal ?? SIGTERM))
                }
            }
        }
    }

    /// Returns the failure that leaves the decision to the current states: watching is refused.
    private static func take(
        _ events: [Inbox.Event], _ condition: inout WaitCondition
    ) throws(Failure) -> Failure? {
        var refusal: Failure?
        for event in events {
            condition.take(event)
            guard case .failure(let error) = event else { continue }
            refusal = .system(error)
            if let refusal, error.code != .watchingUnsupported { throw refusal }
        }
        return refusal
    }

    /// Prints the states and returns them; with --any, other targets may have none yet.
    private func report(
        _ targets: [Target], _ condition: WaitCondition, to waiter: Waiter
    ) throws(Failure) -> [Report] {
        let reports = zip(targets, condition.snapshots).compactMap { target, snapshot in
            snapshot.map { Report(target: target, snapshot: $0) }
        }
        guard !quiet.quiet else { return reports }
        var output = Output(waiter: waiter)
        for report in reports {
            try output.line(
                report.line(
                    options, isLabelled: targets.count > 1, style: text.style(for: output)))
        }
        if let state = condition.connectivity { try output.line(state.line(options)) }
        try output.flush()
        return reports
    }
}
