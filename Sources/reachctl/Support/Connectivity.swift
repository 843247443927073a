// SPDX-License-Identifier: MIT
import ArgumentParser
import Dispatch
import NetworkReachability
import ReachabilityConnectivity

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The options of a probe of HTTP.
struct ConnectivityOptionGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print a line when the connectivity changes, as well: it asks this URL.",
            discussion: "http or https; the answer is to have the status and the body below.",
            valueName: "url"))
    var connectivity: String?

    @Option(
        help: ArgumentHelp(
            "The status that is expected (default: 204).", valueName: "number"))
    var connectivityStatus: Int?

    @Option(help: ArgumentHelp("The body that is expected; any if not given.", valueName: "text"))
    var connectivityBody: String?

    func validate() throws {
        for (name, isGiven) in [
            ("status", connectivityStatus != nil), ("body", connectivityBody != nil),
        ] where isGiven && connectivity == nil {
            throw ValidationError("--connectivity-\(name) needs --connectivity")
        }
    }

    /// The monitor of the path of `target`, nil if none is asked for.
    func monitor(of target: Target) throws(Failure) -> Connectivity? {
        guard let connectivity else { return nil }
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

/// A monitor of connectivity, whose changes make a descriptor readable.
struct Connectivity {
    private let monitor: ConnectivityMonitor
    let changes: Inbox<ConnectivityState>

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
}

extension ConnectivityState {
    /// One line for `reachctl watch`.
    var text: String { description.printable }

    /// The same as JSON.
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
