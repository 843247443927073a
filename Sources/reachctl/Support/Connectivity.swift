// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability
import ReachabilityConnectivity
import ReachLibc

/// The options of a probe.
struct ConnectivityOptionGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Also probe a server over the path of the first target.",
            discussion: """
                An http or https URL, whose expected answer the next two options set; or \
                'networkmanager', to use NetworkManager's own check and send nothing.
                """,
            valueName: "url|networkmanager"))
    var connectivity: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Expected status (default: 204).", valueName: "number"),
        transform: { text in
            guard let status = Int(text), 200...599 ~= status else {
                throw ValidationError("give a number from 200 to 599")
            }
            return status
        })
    var connectivityStatus: Int?

    @Option(help: ArgumentHelp("Expected body (default: any).", valueName: "text"))
    var connectivityBody: String?

    @Option(
        help: ArgumentHelp(
            "HTTP proxy to send the request to (default: none).",
            discussion: "Watch its host: give it as the first target.", valueName: "url"))
    var connectivityProxy: String?

    func validate() throws {
        for (name, isGiven) in [
            ("status", connectivityStatus != nil), ("body", connectivityBody != nil),
            ("proxy", connectivityProxy != nil),
        ] where isGiven && (connectivity == nil || connectivity == networkManager) {
            throw ValidationError("--connectivity-\(name) needs --connectivity with a URL")
        }
    }

    /// How many threads a probe takes: its own, two for tasks, and two for the queue and the timers of libdispatch.
    var threads: Int { connectivity == nil ? 0 : 5 }

    private var networkManager: String { "networkmanager" }

    /// A monitor of the path of `target`, whose states go to `inbox`; nil without --connectivity.
    func monitor(of target: Target, to inbox: Inbox) throws(Failure) -> ConnectivityMonitor? {
        guard let connectivity else { return nil }
        try checkLoading(for: "--connectivity")
        do {
            let probe =
                connectivity == networkManager
                ? ConnectivityProbe.networkManager
                : try .http(
                    connectivity, status: connectivityStatus ?? 204, body: connectivityBody,
                    proxy: connectivityProxy)
            let monitor = try ConnectivityMonitor(target: target.meaning, probe: probe)
            monitor.addListener(queue: inbox.queue) { inbox.put(.connectivity($0)) }
            return monitor
        } catch {
            throw .usage("\(error)")
        }
    }
}

extension Inbox {
    /// Waits for an answer of the probe over the current path.
    func answer() throws(Failure) -> ConnectivityState {
        while true {
            if case .connectivity(let state) = take().last, !state.isChecking { return state }
            var descriptors = [polled]
            _ = try Waiter().wait(for: &descriptors)
        }
    }
}

extension ConnectivityState {
    /// Whether the server answers as expected over the current path.
    var isFull: Bool { level == .full && !isChecking }

    /// One line for `reachctl watch`.
    var text: String { description.printable }

    /// One line of text, or of JSON with --json.
    func line(_ options: TargetOptions) -> String {
        options.common.json ? json(time: timestamp()) : "connectivity\t\(text)"
    }

    /// The state as JSON.
    func json(time: String) -> String {
        var object = JSONObject(event: "connectivity", time: time)
        var portal: String?
        if case .portal(let url) = level { portal = url }
        object.add([
            "connectivity": level.name, "portal": portal, "failure": failure?.description,
            "checking": isChecking,
        ])
        return object.line
    }
}

extension ConnectivityLevel {
    /// The description without the URL.
    fileprivate var name: String {
        if case .portal = self { "portal" } else { description }
    }
}
