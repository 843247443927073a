// SPDX-License-Identifier: MIT

public import NetworkReachability

/// Why a probe failed or couldn't be sent.
///
///     if let failure = await monitor.check().failure {
///         print(failure.code == .timedOut ? "no answer" : failure.description)
///     }
///
/// Use ``code`` in a `switch`; ``description`` names the cause and, if there is one, the remedy.
/// Equality ignores descriptions, since texts of libraries differ between probes.
public struct ConnectivityFailure: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `timedOut`.
        public let description: String

        /// The server's name couldn't be resolved.
        public static let nameNotResolved = Code(description: "nameNotResolved")
        /// No connection: refused, or no route.
        public static let notConnected = Code(description: "notConnected")
        /// The probe timed out.
        public static let timedOut = Code(description: "timedOut")
        /// TLS failed: the handshake, or the certificate; a captive portal may be the cause.
        public static let tls = Code(description: "tls")
        /// The connection closed before the answer.
        public static let closed = Code(description: "closed")
        /// An unexpected status or body, or not HTTP.
        public static let unexpectedAnswer = Code(description: "unexpectedAnswer")
        /// The target needs a connection first (a modem, WPA), and a probe would dial it.
        public static let connectionRequired = Code(description: "connectionRequired")
        /// libcurl is not installed, or the program is a static executable.
        public static let missingLibrary = Code(description: "missingLibrary")
        /// NetworkManager isn't running, doesn't answer, or doesn't check connectivity.
        public static let noNetworkManager = Code(description: "noNetworkManager")
        /// Memory, threads, or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
        /// The probe couldn't be bound to the target's interface or mark.
        public static let notBound = Code(description: "notBound")
        /// The target can't be monitored; see ``ConnectivityFailure/errno`` and the description.
        public static let notMonitored = Code(description: "notMonitored")
        /// The waiting task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// An invalid URL, status, body, header, port, or time, or an unreadable certificate file.
        public static let invalidProbe = Code(description: "invalidProbe")
    }

    /// The phase in which a probe timed out.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// Resolving the server's name.
        case name
        /// Connecting; the only phase of a TCP probe.
        case connect
        /// The TLS handshake.
        case tls
        /// Waiting for the response headers.
        case headers
        /// Receiving the body.
        case body
    }

    /// What went wrong.
    public let code: Code

    /// The error of the failed system call; nil if no call failed.
    public let errno: ReachabilityErrno?

    /// With ``Code/timedOut``, the phase that timed out; nil if unknown, as for a closure.
    public let phase: Phase?

    /// With ``Code/unexpectedAnswer``, the status of the HTTP response; nil if there is none.
    public let status: Int?

    /// The cause, in one line.
    public let description: String

    /// Creates a failure, for tests of code that takes states.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - errno: The error of the failed system call, if any.
    ///   - phase: The phase that timed out.
    ///   - status: The status of the HTTP response.
    ///   - description: The cause, in one line.
    public init(
        _ code: Code, errno: ReachabilityErrno? = nil, phase: Phase? = nil, status: Int? = nil,
        _ description: String
    ) {
        self.code = code
        self.errno = errno
        self.phase = phase
        self.status = status
        self.description = description
    }

    /// Compares everything but the descriptions.
    public static func == (one: ConnectivityFailure, other: ConnectivityFailure) -> Bool {
        one.code == other.code && one.errno == other.errno && one.phase == other.phase
            && one.status == other.status
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(errno)
        hasher.combine(phase)
        hasher.combine(status)
    }
}

extension ConnectivityFailure: CustomStringConvertible {}

extension ConnectivityFailure {
    static func notMonitored(_ error: ReachabilityError) -> ConnectivityFailure {
        let code: Code = error.code == .outOfResources ? .outOfResources : .notMonitored
        return ConnectivityFailure(code, errno: error.errno, error.description)
    }

    static func outOfResources(_ errno: ReachabilityErrno) -> ConnectivityFailure {
        ConnectivityFailure(
            .outOfResources, errno: errno,
            "the probe could not be made (\(errno)); raise the limits of the process")
    }

    static func timedOut(
        after time: Duration, waitingFor phase: Phase? = nil
    ) -> ConnectivityFailure {
        ConnectivityFailure(.timedOut, phase: phase, "\(phase.awaited) within \(time)")
    }

    #if canImport(CConnectivity)
    /// Earlier probes have ended, but their lookups can't: getaddrinfo() can't be aborted.
    static let lookupsHang = ConnectivityFailure(
        .nameNotResolved,
        "\(ProbeTurns.most) earlier name lookups have not ended; check the name servers of the host"
    )
    #endif

    static let connectionRequired = ConnectivityFailure(
        .connectionRequired, "a connection has to be established first; a probe would dial")

    static let cancelled = ConnectivityFailure(.cancelled, "the waiting task was cancelled")
}

extension ConnectivityFailure.Phase? {
    /// The missing part, for the description.
    fileprivate var awaited: String {
        switch self {
        case .name: "the name was not resolved"
        case .connect: "no connection"
        case .tls: "the TLS handshake did not finish"
        case .headers: "no complete headers"
        case .body: "no complete body"
        case nil: "no answer"
        }
    }
}
