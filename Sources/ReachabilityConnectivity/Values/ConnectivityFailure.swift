// SPDX-License-Identifier: MIT

public import NetworkReachability

/// Why a probe failed, or could not be made.
///
///     if let failure = await monitor.check().failure {
///         print(failure.code == .timedOut ? "no answer" : failure.description)
///     }
///
/// ``description`` names the cause and, where there is one, what to do about it; ``code`` is for `switch`.
/// Two failures are equal if all but their descriptions are: texts of libraries differ from one probe to the
/// next.
public struct ConnectivityFailure: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `timedOut`.
        public let description: String

        /// The name of the server could not be resolved.
        public static let nameNotResolved = Code(description: "nameNotResolved")
        /// No connection could be made: refused, or no route.
        public static let notConnected = Code(description: "notConnected")
        /// The time of the probe has passed.
        public static let timedOut = Code(description: "timedOut")
        /// TLS failed: the handshake, or the certificate; a captive portal may be the cause.
        public static let tls = Code(description: "tls")
        /// The connection ended before the answer.
        public static let closed = Code(description: "closed")
        /// The answer has another status or body than expected, or is not HTTP.
        public static let unexpectedAnswer = Code(description: "unexpectedAnswer")
        /// The target can be reached only after a connection is established (a modem, WPA): it is not
        /// asked, since that would dial.
        public static let connectionRequired = Code(description: "connectionRequired")
        /// libcurl is not installed, or the program is a static executable.
        public static let missingLibrary = Code(description: "missingLibrary")
        /// NetworkManager does not run, cannot be asked, or does not check.
        public static let noNetworkManager = Code(description: "noNetworkManager")
        /// Memory, threads or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
        /// The probe could not be bound to the interface or the mark of the target.
        public static let notBound = Code(description: "notBound")
        /// The target cannot be monitored; see ``ConnectivityFailure/errno`` and the description.
        public static let notMonitored = Code(description: "notMonitored")
        /// The task that waited was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// A URL, status, body, header, port, or time that no probe can have, or a file of certificates
        /// that can't be read.
        public static let invalidProbe = Code(description: "invalidProbe")
    }

    /// What a probe waited for when its time had passed.
    public enum Phase: String, Hashable, Sendable, CaseIterable {
        /// The addresses of the server's name.
        case name
        /// A connection; a TCP probe waits for nothing else.
        case connect
        /// The end of the TLS handshake.
        case tls
        /// The end of the headers.
        case headers
        /// The end of the body.
        case body
    }

    /// What went wrong.
    public let code: Code

    /// The error of the system call; nil if none was made.
    public let errno: ReachabilityErrno?

    /// With ``Code/timedOut``, what the probe waited for; nil if that isn't known, as in a closure.
    public let phase: Phase?

    /// With ``Code/unexpectedAnswer``, the status of the HTTP response; nil if there is none.
    public let status: Int?

    /// The cause, in one line.
    public let description: String

    /// Creates a failure, for tests of code that takes states.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - errno: The error of the system call, if one was made.
    ///   - phase: What the probe waited for.
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

    /// Whether all but the descriptions are equal.
    public static func == (one: ConnectivityFailure, other: ConnectivityFailure) -> Bool {
        one.code == other.code && one.errno == other.errno && one.phase == other.phase
            && one.status == other.status
    }

    /// Hashes what `==` compares.
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

    /// The lookups belong to earlier probes, which have their answers; getaddrinfo() can't be left.
    static let lookupsHang = ConnectivityFailure(
        .nameNotResolved,
        "\(ProbeTurns.most) earlier name lookups have not ended; check the name servers of the host"
    )

    static let connectionRequired = ConnectivityFailure(
        .connectionRequired, "a connection has to be established first; a probe would dial")

    static let cancelled = ConnectivityFailure(.cancelled, "the task that waited was cancelled")
}

extension ConnectivityFailure.Phase? {
    /// What didn't come.
    fileprivate var awaited: String {
        switch self {
        case .name: "the name was not resolved"
        case .connect: "no connection"
        case .tls: "no end of the TLS handshake"
        case .headers: "no complete headers"
        case .body: "no complete body"
        case nil: "no answer"
        }
    }
}
