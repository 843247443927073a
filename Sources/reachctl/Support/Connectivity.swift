// SPDX-License-Identifier: MIT
import ArgumentParser
import Dispatch
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
        help: ArgumentHelp(
            "Expected status (default: 204).", valueName: "number"))
    var connectivityStatus: Int?

    @Option(help: ArgumentHelp("Expected body (default: any).", valueName: "text"))
    var connectivityBody: String?

    func validate() throws {
        for (name, isGiven) in [
            ("status", connectivityStatus != nil), ("body", connectivityBody != nil),
        ] where isGiven && (connectivity == nil || connectivity == networkManager) {
            throw ValidationError("--connectivity-\(name) needs --connectivity with a URL")
        }
    }

    private var networkManager: String { "networkmanager" }

    /// The monitor of the path of `target`; nil without --connectivity.
    func monitor(of target: Target) throws(Failure) -> Connectivity? {
        guard let connectivity else { return nil }
        try checkLoading(for: "--connectivity")
        guard connectivity != networkManager else {
            return try Connectivity(of: target, .networkManager)
        }
        let probe: ConnectivityProbe
        do throws(ConnectivityFailure) {
            probe = try .http(
                connectivity, status: connectivityStatus ?? 204, body: connectivityBody)
        } catch {
            throw .usage(error.description)
        }
        return try Connectivity(of: target, probe)
    }
}

/// A connectivity monitor, with a descriptor that becomes readable at each change.
struct Connectivity {
    private let monitor: ConnectivityMonitor
    let changes: Inbox<ConnectivityState>
    private(set) var latest: ConnectivityState?

    init(of target: Target, _ probe: ConnectivityProbe) throws(Failure) {
        do throws(ReachabilityError) {
            monitor = try ConnectivityMonitor(target: target.meaning, probe: probe)
        } catch {
            throw .usage(error.description)
        }
        changes = try Inbox()
        monitor.addListener(queue: DispatchQueue(label: "connectivity")) { [changes] in
            changes.put($0)
        }
    }

    /// Whether the server answers as expected over the current path.
    var isFull: Bool { latest?.level == .full && latest?.isChecking == false }

    /// Returns the state if it has changed since the last call, else nil.
    mutating func change() -> ConnectivityState? {
        let state = changes.take()
        if let state { latest = state }
        return state
    }

    /// Waits for an answer over the current path, and returns whether it is the expected one.
    mutating func awaitAnswer() throws(Failure) -> Bool {
        let waiter = Waiter()
        while change() == nil || latest?.isChecking == true {
            var descriptors = [changes.polled]
            _ = try waiter.wait(for: &descriptors)
        }
        return isFull
    }
}

extension ConnectivityState {
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
        object.set("connectivity", level.name)
        object.set("portal", portal)
        object.set("failure", failure?.description)
        object.set("checking", isChecking)
        return object.line
    }
}

extension ConnectivityLevel {
    /// The description without the URL.
    fileprivate var name: String {
        if case .portal = self { "portal" } else { description }
    }
}
