// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability

/// `reachctl status`.
struct Status: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the reachability of targets, or an overview of this host, and exit.",
        discussion: """
            Prints one line per target, in the given order: the words of 'scutil -r', such as \
            "Reachable,Directly Reachable Address". With several targets, the target and a tab come first. \
            On a terminal, and with --verbose, the reason and the interface follow, as in "Not Reachable \
            (linkDown) eth0".

            Without a target, prints the path to the internet per family and whether it is metered, the \
            interfaces with class, state, and addresses, and the name servers of /etc/resolv.conf. \
            'internet' after the state means that the interface leads to the internet, even if the kernel \
            prefers another. 'carried by' names the interface below a tunnel: the one that leads to the \
            internet without it. The verdict is the tunnel's, even if nothing carries it.

            --connectivity also probes a server, for at most 10 seconds, and prints the result as 'watch' \
            does, without the time.

            JSON: target (as given), kind (address, addressPair, internet, localWiFi, name), flags \
            (number), words, letters ("WR tcCiDld"), status (unknown while a name is not resolved, \
            notReachable, reachableViaWWAN, reachableViaWiFi), interface {index, name, class}, source, \
            gateway, nextHops (of the route) and usableNextHops (those over a usable interface), addresses \
            (of a name), reason (why it is not reachable), resolution (of a name: pending, done, outdated), \
            error (the kernel's, a number of errno.h), metered (true or false, if NetworkManager knows it \
            within a second). A missing value is null. Without a target: internet {ipv4, ipv6} and resolver \
            {servers, search}, each state as above, and interfaces as in 'interfaces', with internet \
            (true, false, or null if the interface can't lead there by itself). The internet's states also \
            have underlay (the interfaces that may carry a tunnel, the likeliest first). \
            share/reachctl/reachctl.schema.json \
            describes the JSON of all subcommands.

            EXIT STATUS:
              0     every target is reachable without the user's help; without a
                    target, the internet is reachable in a family; and the server
                    of --connectivity answers as expected
              1     a target is not reachable, or the server answers otherwise
              64    bad usage
              71    a system error

            EXAMPLES:
              reachctl status
                  An overview of this host.
              reachctl status -v db.example.com 2001:db8::1 internet
                  Three targets, with the reason and the interface.
              reachctl status --connectivity networkmanager
                  With NetworkManager's own connectivity check.
              reachctl status -q --interface wg0 192.0.2.1 || echo 'no VPN'
                  Act on the exit status alone.
            """)

    @OptionGroup var options: TargetOptions

    @OptionGroup var quiet: QuietOptions

    @OptionGroup var text: TextOptions

    @OptionGroup var waiting: TimeoutOptions

    @OptionGroup var probe: ConnectivityOptionGroup

    func perform() throws {
        var output = Output()
        let inbox = probe.threads == 0 ? nil : try Inbox(threads: 2 + probe.threads)
        let monitor = try inbox.map { try probe.monitor(of: options.resolved()[0], to: $0) }
        let isReachable =
            options.isEmpty ? try printOverview(&output) : try printTargets(&output)
        try output.flush()
        let state = try inbox?.answer()
        withExtendedLifetime(monitor) {}
        if let state, !quiet.quiet {
            try output.line(state.line(options))
            try output.flush()
        }
        guard isReachable, state?.isFull != false else { throw ExitCode.failure }
    }

    private func printTargets(_ output: inout Output) throws -> Bool {
        let targets = try options.resolved()
        let reports = try Report.all(
            of: targets, in: options.common.namespace, timeout: waiting.timeout,
            facts: options.common.json && !quiet.quiet ? options.common.facts() : [])
        for report in reports where !quiet.quiet {
            try output.line(
                report.line(
                    options, isLabelled: targets.count > 1, style: text.style(for: output)))
        }
        try output.flush()
        try reports.checkResources()
        return reports.allSatisfy(\.snapshot.status.isReachable)
    }

    private func printOverview(_ output: inout Output) throws -> Bool {
        let overview = try Overview(options, isQuiet: quiet.quiet)
        guard !quiet.quiet else { return overview.isReachable }
        if options.common.json {
            try output.line(overview.json.line)
        } else {
            for line in overview.lines(text.style(for: output)) { try output.line(line) }
        }
        return overview.isReachable
    }
}
