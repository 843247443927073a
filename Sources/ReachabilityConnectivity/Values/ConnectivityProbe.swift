// SPDX-License-Identifier: MIT

public import NetworkReachability
package import SystemServices

/// A question to the network whose answer tells the connectivity; see <doc:Probes>.
///
///     let internet = try ConnectivityMonitor(
///         probe: .http("http://probe.example.com/online", status: 200, body: "yes"))
///     let database = try ConnectivityMonitor(
///         target: .domain("db.example.com"), probe: .tcp(port: 5432))
///     print(await internet.check().level, await database.check().level)
///
/// There is no standard URL: what is sent to whom is yours to decide.
public struct ConnectivityProbe: Sendable {
    enum Kind: Sendable {
        case http(HTTPQuestion)
        case tcp(port: UInt16)
        case networkManager(NetworkManager)
        case custom(@Sendable (_ snapshot: ReachabilitySnapshot) async -> ProbeAnswer)
    }

    /// What a probe that can be compared with others asks.
    enum Identity: Hashable, Sendable {
        case http(HTTPQuestion, Duration)
        case tcp(port: UInt16, Duration)
    }

    let kind: Kind
    let timeout: Duration

    /// Nil if it can't be compared, or sends nothing.
    var identity: Identity? {
        switch kind {
        case .http(let question): .http(question, timeout)
        case .tcp(let port): .tcp(port: port, timeout)
        case .networkManager, .custom: nil
        }
    }

    /// One GET request, and the answer that is expected.
    ///
    /// Redirects are not followed: they are the portal's. Proxies of the environment are not used, no
    /// cookie is sent or kept, and of the answer a few KiB are read. If the target is restricted to an
    /// interface, a mark or a family, so is the request; the target's namespace is that of the request.
    /// Names are looked up with `getaddrinfo()`, whose own packets are not restricted.
    ///
    /// With `https` a portal cannot answer in the server's place: it is a failure of TLS, and
    /// ``ConnectivityLevel/limited``. Use `http` to find portals. For a server with certificates of your own
    /// pass `caFile`, or set `SSL_CERT_FILE` in the environment of the process.
    ///
    ///     let probe = try ConnectivityProbe.http(
    ///         "https://health.internal.example/", status: 200, headers: ["Authorization": "Bearer 1234"],
    ///         caFile: "/etc/ssl/internal.pem")
    ///     let monitor = try ConnectivityMonitor(probe: probe)
    ///     print(monitor.state.level)
    ///
    /// Where 204 is expected, 200 with `Content-Length: 0` counts as well, as it does for NetworkManager and
    /// Android.
    ///
    /// libcurl is loaded when the first such probe is made (`libcurl.so.4`, version 7.37 or later, or
    /// `libcurl-gnutls.so.4`); without it the level is ``ConnectivityLevel/unknown``.
    ///
    /// - Parameters:
    ///   - url: The URL of a server of yours or one that allows it, for example
    ///     `http://probe.example.com/generate_204`.
    ///   - status: The status that is expected.
    ///   - body: The body that is expected, at most 4 KiB, where white space at its end does not count;
    ///     nil for any.
    ///   - headers: Headers of the request by name, at most 4 KiB. `Connection`, `Content-Length`, and
    ///     `Transfer-Encoding` are the probe's own.
    ///   - caFile: A file of certificates, PEM, that replaces those that the system trusts; read at each
    ///     probe.
    ///   - timeout: The longest time for all of it, at most a day. It begins when the probe does.
    /// - Returns: The probe.
    /// - Throws: ``ConnectivityFailure/Code/invalidProbe`` if the URL, the expected answer, a header, or the
    ///   time is invalid.
    public static func http(
        _ url: String, status: Int = 204, body: String? = nil, headers: [String: String] = [:],
        caFile: String? = nil, timeout: Duration = .seconds(10)
    ) throws(ConnectivityFailure) -> ConnectivityProbe {
        let question = try HTTPQuestion(
            url: url, status: status, body: body, headers: headers, caFile: caFile)
        return ConnectivityProbe(kind: .http(question), timeout: try checked(timeout))
    }

    /// A TCP connection to the target itself, which is closed at once.
    ///
    /// All addresses of a name are tried, the next one 250 milliseconds after the one before or when that
    /// has failed (RFC 8305); the first connection counts. It is bound as the request of
    /// ``http(_:status:body:headers:caFile:timeout:)`` is. A portal is not noticed: many accept any connection.
    ///
    /// - Parameters:
    ///   - port: The port, 1 to 65535.
    ///   - timeout: The longest time for all of it, at most a day.
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

    /// What NetworkManager has found with its own check; this process sends nothing.
    ///
    /// Of the interface of the target, or of the machine where NetworkManager does not tell that, and of
    /// the target's family. It is also asked whenever NetworkManager reports a change. The URL of a portal
    /// is the one that NetworkManager checks with, which a portal redirects. Where NetworkManager does not
    /// check, does not run, does not answer or does not manage the interface the level is
    /// ``ConnectivityLevel/unknown``, with ``ConnectivityFailure/Code/noNetworkManager``. For a target in
    /// the network namespace of NetworkManager.
    public static let networkManager = networkManager(.shared)

    package static func networkManager(_ manager: NetworkManager) -> ConnectivityProbe {
        ConnectivityProbe(kind: .networkManager(manager), timeout: .seconds(10))
    }

    /// A probe of your own, such as a request by URLSession; see <doc:Probes> for one.
    ///
    /// Its task is cancelled when the path changes, when nobody listens any more, and after `timeout`;
    /// what it returns then does not count. A closure that ignores the cancellation is not waited for.
    ///
    /// - Parameters:
    ///   - timeout: After which time the level is ``ConnectivityLevel/limited``; from 0 to a day, and the
    ///     nearer of the two if it is another.
    ///   - question: Asks; called with the state of the target.
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
                .invalidProbe, "a timeout of \(timeout); give one of more than 0 and at most a day")
        }
        return timeout
    }
}

/// What a probe found.
struct ProbeAnswer: Hashable, Sendable {
    let level: ConnectivityLevel
    let failure: ConnectivityFailure?
    /// What each phase took that has ended; no part of what the answer says.
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

/// When a question without an answer is ended, and what its answer is then.
struct ProbeLimit: Sendable {
    let time: Duration
    let answer: ProbeAnswer
}
