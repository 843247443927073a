// SPDX-License-Identifier: MIT

public import NetworkReachability
package import SystemServices

/// A request that tests the connectivity of a path; see <doc:Probes>.
///
///     let internet = try ConnectivityMonitor(
///         probe: .http("http://probe.example.com/online", status: 200, body: "yes"))
///     let database = try ConnectivityMonitor(
///         target: .domain("db.example.com"), probe: .tcp(port: 5432))
///     print(await internet.check().level, await database.check().level)
///
/// There is no default URL: you choose the server and the request.
public struct ConnectivityProbe: Sendable {
    enum Kind: Sendable {
        case http(HTTPQuestion)
        case tcp(port: UInt16)
        case networkManager(NetworkManager)
        case custom(@Sendable (_ snapshot: ReachabilitySnapshot) async -> ProbeAnswer)
    }

    /// The request of a comparable probe.
    enum Identity: Hashable, Sendable {
        case http(HTTPQuestion, Duration)
        case tcp(port: UInt16, Duration)
    }

    let kind: Kind
    let timeout: Duration

    /// Nil if the probe can't be compared, or sends nothing.
    var identity: Identity? {
        switch kind {
        case .http(let question): .http(question, timeout)
        case .tcp(let port): .tcp(port: port, timeout)
        case .networkManager, .custom: nil
        }
    }

    /// One GET request and its expected answer.
    ///
    /// Redirects aren't followed: they reveal a portal. Proxy variables don't apply (see `proxy`), no cookie is
    /// sent or kept, and only a few KiB of the answer are read. The request has the target's
    /// interface, mark, family, and namespace. `getaddrinfo()` resolves the name; its own packets
    /// aren't restricted.
    ///
    /// With `https` a portal can't pose as the server: TLS fails, and the level is
    /// ``ConnectivityLevel/limited``. Use `http` to find portals. For your own certificates pass
    /// `caFile`, or set `SSL_CERT_FILE` in the environment.
    ///
    ///     let probe = try ConnectivityProbe.http(
    ///         "https://health.internal.example/", status: 200, headers: ["Authorization": "Bearer 1234"],
    ///         caFile: "/etc/ssl/internal.pem")
    ///     let monitor = try ConnectivityMonitor(probe: probe)
    ///     print(await monitor.check().level)
    ///
    /// If 204 is expected, 200 with `Content-Length: 0` counts, too, as in NetworkManager and
    /// Android.
    ///
    /// The first such probe loads libcurl (`libcurl.so.4`, version 7.37 or later, or
    /// `libcurl-gnutls.so.4`). Without it the level is ``ConnectivityLevel/unknown``.
    ///
    /// - Parameters:
    ///   - url: A URL on your server, or on one that permits it, for example
    ///     `http://probe.example.com/generate_204`.
    ///   - status: The expected status.
    ///   - body: The expected body, at most 4 KiB, without trailing white space; nil for any.
    ///   - headers: Request headers by name, at most 4 KiB. `Connection`, `Content-Length`, and
    ///     `Transfer-Encoding` are reserved.
    ///   - caFile: A PEM file that replaces the system's trusted certificates. Each probe reads it.
    ///   - proxy: An HTTP proxy that sends the request on and resolves the server's name, for example
    ///     `http://proxy.example.com:3128`; nil for none. Let the monitor watch the path to the proxy's host. With
    ///     `https` it receives `CONNECT`, and none of `headers`.
    ///   - timeout: The longest time for the whole probe, at most a day.
    /// - Returns: The probe.
    /// - Throws: ``ConnectivityFailure/Code/invalidProbe`` if the URL, the expected answer, a header, or the
    ///   time is invalid.
    public static func http(
        _ url: String, status: Int = 204, body: String? = nil, headers: [String: String] = [:],
        caFile: String? = nil, proxy: String? = nil, timeout: Duration = .seconds(10)
    ) throws(ConnectivityFailure) -> ConnectivityProbe {
        let question = try HTTPQuestion(
            url: url, status: status, body: body, headers: headers, caFile: caFile, proxy: proxy)
        return ConnectivityProbe(kind: .http(question), timeout: try checked(timeout))
    }

    /// Connects to the target with TCP, and closes the connection at once.
    ///
    /// Tries all addresses of a name until one answers. The next attempt starts 250 milliseconds
    /// after the previous one, or once all earlier ones have failed (RFC 8305). The probe is bound
    /// like ``http(_:status:body:headers:caFile:proxy:timeout:)``. It can't detect portals: many accept
    /// any connection.
    ///
    /// - Parameters:
    ///   - port: The port, 1 to 65535.
    ///   - timeout: The longest time for all attempts together, at most a day.
    /// - Returns: The probe.
    /// - Throws: ``ConnectivityFailure/Code/invalidProbe`` for another port or time.
    public static func tcp(
        port: Int, timeout: Duration = .seconds(10)
    ) throws(ConnectivityFailure) -> ConnectivityProbe {
        guard let port = UInt16(exactly: port), port > 0 else {
            throw ConnectivityFailure(.invalidProbe, "\(port) is not a port from 1 to 65535")
        }
        return ConnectivityProbe(kind: .tcp(port: port), timeout: try checked(timeout))
    }

    /// Uses NetworkManager's own connectivity check, and sends nothing.
    ///
    /// The result is that of the target's interface and family, or of the host if NetworkManager
    /// doesn't report those. Each change in NetworkManager also updates it. A portal's URL is the
    /// one that NetworkManager checks, which the portal redirects. If NetworkManager doesn't run,
    /// answer, check, or manage the interface, the level is ``ConnectivityLevel/unknown`` with
    /// ``ConnectivityFailure/Code/noNetworkManager``. The target must be in NetworkManager's
    /// network namespace.
    public static let networkManager = networkManager(.shared)

    package static func networkManager(_ manager: NetworkManager) -> ConnectivityProbe {
        ConnectivityProbe(kind: .networkManager(manager), timeout: .seconds(10))
    }

    /// A probe of your own, such as a request with URLSession; see <doc:Probes> for an example.
    ///
    /// Its task is cancelled when the path changes, when the last listener ends, and after
    /// `timeout`; its result then doesn't count. The monitor doesn't wait for a closure that
    /// ignores cancellation.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the level becomes ``ConnectivityLevel/limited``; values
    ///     below zero or above one day are corrected.
    ///   - question: The probe; called with the target's state.
    /// - Returns: The probe.
    public static func custom(
        timeout: Duration = .seconds(10),
        _ question:
            @escaping @Sendable (_ snapshot: ReachabilitySnapshot) async -> ConnectivityLevel
    ) -> ConnectivityProbe {
        ConnectivityProbe(
            kind: .custom { ProbeAnswer(await question($0)) },
            timeout: min(max(timeout, .zero), longestTimeout))
    }

    private static let longestTimeout = Duration.seconds(86_400)

    private static func checked(_ timeout: Duration) throws(ConnectivityFailure) -> Duration {
        guard timeout > .zero, timeout <= longestTimeout else {
            throw ConnectivityFailure(
                .invalidProbe, "\(timeout) is not a timeout; give more than 0 and at most a day")
        }
        return timeout
    }
}

/// The result of a probe.
struct ProbeAnswer: Hashable, Sendable {
    let level: ConnectivityLevel
    let failure: ConnectivityFailure?
    /// The time of each completed phase; not part of equality.
    var phases: [ConnectivityFailure.Phase: Duration] = [:]

    init(_ level: ConnectivityLevel, failure: ConnectivityFailure? = nil) {
        self.level = level.withWebPageOnly
        self.failure = failure
    }

    static func == (one: ProbeAnswer, other: ProbeAnswer) -> Bool {
        one.level == other.level && one.failure == other.failure
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(level)
        hasher.combine(failure)
    }
}

/// The time limit of a probe, and its result when the time is up.
struct ProbeLimit: Sendable {
    let time: Duration
    let answer: ProbeAnswer
}

/// How often a ``ConnectivityMonitor`` probes.
///
///     var options = ConnectivityOptions()
///     options.interval = .seconds(60)
///     let monitor = try ConnectivityMonitor(probe: .custom { _ in .full }, options: options)
///     print(await monitor.check().level)
///
/// Timers keep running while the host is suspended; a probe that falls due meanwhile is sent after
/// the resume. ``interval`` and the times that grow from ``retryInterval`` vary by up to 10 % at
/// random, so that many hosts don't probe at the same moment. All values are limited to 365 days.
/// Intervals are at least 10 milliseconds, and ``debounceInterval`` is at least zero.
public struct ConnectivityOptions: Hashable, Sendable {
    /// Time from a `full` result to the next probe of an unchanged path; by default 300 seconds, as
    /// in NetworkManager.
    public var interval = Duration.seconds(300)

    /// Time to the next probe after any other result; by default 5 seconds.
    ///
    /// It doubles with each such result, up to ``interval``.
    public var retryInterval = Duration.seconds(5)

    /// How long the path must stay unchanged before it is probed; by default 200 milliseconds.
    ///
    /// A path that keeps changing is probed after ten times this duration.
    public var debounceInterval = Duration.milliseconds(200)

    /// Creates options with the defaults.
    public init() {}
}
