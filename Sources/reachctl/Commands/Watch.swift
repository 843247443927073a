// SPDX-License-Identifier: MIT
import ArgumentParser
import SystemServices
import NetworkReachability
import ReachabilityConnectivity
import ReachLibc

/// `reachctl watch`.
struct Watch: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the reachability of targets now and at every change.",
        discussion: """
            Without a target, watches the internet. Each line has the time (RFC 3339), a tab, and the output of 'status'. In the journal, \
            which adds the time, it has a priority: 4 if not reachable, else 6. A line is printed at the \
            start, and when the flags, interface, source, gateway, next hops, reason, resolution, or addresses \
            of a name change, even if the text is the same; --json shows all of them. With --json, the \
            members 'time' and 'event' come first. An event "reachability" has the members of 'status', and \
            is also printed when 'metered' changes. With --stable, a change is printed once it has \
            lasted that long; one that is undone earlier isn't printed.

            --radio also prints a line when ModemManager reports a change of a modem: the word "radio" and \
            the modems; with --json, event "radio" with radio (a list of modems) and error.

            --connectivity probes the URL at the start and when the path of the first target changes. It \
            probes again 300 seconds after the expected answer. After any other answer it probes again \
            after 5 seconds, a time that doubles up to 300. A probe times out \
            after 10 seconds. Each change is a line: the word "connectivity" instead of the target, then \
            unknown, noNetwork, local, portal (with its URL), limited, or full, and the cause; with --json, \
            event "connectivity" with connectivity, portal, failure, and checking. When the path changes on \
            the same interface, the level stays and "checking" says that a probe is due. --interface, \
            --mark, -4, -6, and --netns apply; proxy variables don't. Needs libcurl.

            --prometheus replaces the file at the start, then at most once per second when a state changes, and \
            removes it at the end, also by SIGHUP and SIGQUIT. It has network_reachable (1 or 0), \
            network_reachability_info (with interface, class, and reason), and \
            network_reachability_changes_total (the changes that are printed), each with the target; with \
            --connectivity also network_connectivity_full. If a later write fails, the file is removed, and \
            written at the next change, or after a minute.

            EXIT STATUS:
              0     ended by SIGINT or SIGTERM, or the reader closed the pipe
              64    bad usage
              71    a system error

            EXAMPLES:
              reachctl watch -v db.example.com internet
                  Each change of two targets, with the reason and the interface.
              reachctl watch --json | jq --unbuffered -r '[.time, .status] | @tsv'
                  Feed changes to another program.
              reachctl watch --stable 2 db.example.com
                  Skip changes that last less than two seconds.
              reachctl watch --connectivity http://www.example.com/generate_204
                  Notice captive portals.
              reachctl watch --prometheus /var/lib/prometheus/node-exporter/reach.prom
                  Let Prometheus know, where node_exporter runs.
            """)

    @OptionGroup var options: TargetOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long a change must last to be printed (default: 0).", valueName: "seconds"),
        transform: parseSeconds)
    var stable: Double = 0

    @Flag(help: "Also print a line when the cellular radio changes.")
    var radio = false

    @OptionGroup var probe: ConnectivityOptionGroup

    @Option(
        help: ArgumentHelp(
            "Also keep the newest states in a file of metrics.",
            discussion: """
                For the textfile collector of Prometheus' node_exporter; the name ends in .prom.
                """,
            valueName: "file"),
        completion: .file(extensions: ["prom"]))
    var prometheus: String?

    @OptionGroup var text: TextOptions

    private var asksNetworkManager: Bool {
        options.common.json && options.common.asksNetworkManager
    }

    /// How many threads it takes: a monitor's, the timers of libdispatch, the bus, and the probe.
    private var threads: Int {
        2 + (stable > 0 ? 1 : 0) + (radio || asksNetworkManager ? 1 : 0) + probe.threads
    }

    func perform() throws {
        let targets = try options.resolved()
        if radio { try checkLoading(for: "--radio") }
        let ends = [SIGINT, SIGTERM] + (prometheus == nil ? [] : [SIGHUP, SIGQUIT])
        let waiter = try Waiter(catching: ends)
        var metrics: MetricsFile?
        if let prometheus { metrics = try MetricsFile(prometheus, of: targets.map(\.text)) }
        defer { metrics?.end() }
        let inbox = try Inbox(targets: targets.count, threads: threads)
        if radio {
            CellularRadio.shared.addListener(queue: inbox.queue) { inbox.put(.radio($0)) }
        }
        if asksNetworkManager {
            NetworkManager.shared.informReachability()
        }
        let monitor = try probe.monitor(of: targets[0], to: inbox)
        defer { withExtendedLifetime(monitor) {} }
        try inbox.watch(targets, stable: .seconds(stable))
        var output = Output(waiter: waiter)
        let style = text.style(for: output)
        var lastRadio = ""
        repeat {
            let events = inbox.take()
            // Before the output, which may block.
            for event in events { metrics?.take(event) }
            _ = (metrics?.writeIfDue()?.message).map(mention)
            for event in events where !output.isEnded {
                guard let line = try line(event, targets, style, &lastRadio) else { continue }
                try output.line(line)
                try output.flush()
            }
        } while try !output.isEnded
            && waiter.waitWhileRead(for: [inbox.polled], until: metrics?.due)
    }

    /// The line for an event; nil if it repeats the previous one.
    private func line(
        _ event: Inbox.Event, _ targets: [Target], _ style: TextStyle, _ lastRadio: inout String
    ) throws(Failure) -> String? {
        switch event {
        case .failure(let error): throw .system(error)
        case .state(let position, let snapshot):
            let report = Report(target: targets[position], snapshot: snapshot)
            return line(
                isWarning: snapshot.status == .notReachable,
                report.text(isLabelled: targets.count > 1, style: style)
            ) { report.json(JSONObject(event: "reachability", time: $0)).line }
        case .radio(let state):
            let radio = options.common.json ? state.json(time: "") : state.text
            guard radio != lastRadio else { return nil }
            lastRadio = radio
            return line(isWarning: false, "radio\t\(radio)", state.json)
        case .connectivity(let state):
            return line(
                isWarning: state.level != .full, "connectivity\t\(state.text)", state.json)
        }
    }

    private func line(
        isWarning: Bool, _ text: @autoclosure () -> String, _ json: (_ time: String) -> String
    ) -> String {
        let time = timestamp()
        return options.common.json ? json(time) : lineStart(time, isWarning: isWarning) + text()
    }
}

extension Waiter {
    /// Waits for `descriptors`, at most until `time` (CLOCK_MONOTONIC, milliseconds).
    ///
    /// Returns false if a signal was caught, or the reader of standard output closed it.
    fileprivate func waitWhileRead(
        for descriptors: [pollfd], until time: Int64?
    ) throws(Failure) -> Bool {
        // POLLERR (pipe closed by its reader) and POLLHUP (socket or terminal closed) need not be in
        // `events`.
        var descriptors = [pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)] + descriptors
        let limit = time.map { $0 - monotonicMilliseconds() }
        let isQuiet = try wait(for: &descriptors, milliseconds: limit)
        return isQuiet && Int32(descriptors[0].revents) & (POLLERR | POLLHUP) == 0
    }
}

/// The current time in RFC 3339 format: local time, milliseconds, and the offset from UTC.
func timestamp() -> String {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    var local = unsafe tm()
    unsafe localtime_r(&now.tv_sec, &local)
    var bytes = [CChar](repeating: 0, count: 64)
    let length = unsafe strftime(&bytes, bytes.count, "%FT%T%z", &local)
    let text = String(decoding: bytes[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
    return "\(text.dropLast(5)).\(milliseconds)\(text.suffix(5).dropLast(2)):\(text.suffix(2))"
}
