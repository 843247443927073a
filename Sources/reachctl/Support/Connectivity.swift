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
        do throws(ConnectivityFailure) {
            return try Connectivity(
                of: target,
                .http(connectivity, status: connectivityStatus ?? 204, body: connectivityBody))
        } catch {
            throw .usage(error.description)
        }
    }
}

/// A monitor of connectivity, whose changes make a descriptor readable.
final class Connectivity: Sendable {
    private let monitor: ConnectivityMonitor
    private let listener: ReachabilityListener
    private let latest = Lock<ConnectivityState?>(nil)
    private let reader: Int32

    init(
        of target: Target, _ probe: @autoclosure () throws(ConnectivityFailure) -> ConnectivityProbe
    ) throws(ConnectivityFailure) {
        let probe = try probe()
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw ConnectivityFailure(.outOfResources, "cannot open a pipe")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        reader = ends[0]
        do throws(ReachabilityError) {
            monitor = try ConnectivityMonitor(target: target.meaning, probe: probe)
        } catch {
            throw ConnectivityFailure(.notMonitored, error.description)
        }
        listener = monitor.addListener(queue: DispatchQueue(label: "connectivity")) {
            [latest, writer = ends[1]] state in
            latest.withLock { $0 = state }
            var byte: UInt8 = 0
            // If the pipe is full, poll() wakes up anyway.
            _ = unsafe write(writer, &byte, 1)
        }
    }

    var polled: pollfd { pollfd(fd: reader, events: Int16(POLLIN), revents: 0) }

    /// The state, if it has changed since the last call.
    func change() -> ConnectivityState? {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe read(reader, &bytes, bytes.count) > 0 {}
        return latest.withLock { $0.take() }
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
