// SPDX-License-Identifier: MIT

internal import NetworkReachability
internal import SystemServices
#if canImport(CConnectivity)
internal import CConnectivity
internal import ReachLibc

extension ProbeAnswer {
    /// `location` is the URL of a redirect; empty if it is too long.
    init(
        _ answer: connectivity_answer, location: String, expecting question: HTTPQuestion?,
        _ timeout: Duration
    ) {
        func failure(
            _ level: ConnectivityLevel, _ code: ConnectivityFailure.Code, _ description: String
        ) -> ProbeAnswer {
            ProbeAnswer(level, failure: answer.failure(code, description))
        }
        let cause = answer.cause
        // #lizard forgives: one switch, a case for each result of C.
        self =
            switch answer.result {
            case CONNECTIVITY_EXPECTED: ProbeAnswer(.full)
            case CONNECTIVITY_REDIRECT:
                Self.redirect(to: location) {
                    failure(.portal(url: nil), .unexpectedAnswer, $0)
                }
            case CONNECTIVITY_UNEXPECTED:
                failure(answer.level, .unexpectedAnswer, answer.difference(from: question))
            case CONNECTIVITY_NAME: failure(.limited, .nameNotResolved, cause)
            case CONNECTIVITY_CONNECT: failure(.limited, .notConnected, cause)
            case CONNECTIVITY_TLS: failure(.limited, .tls, cause)
            case CONNECTIVITY_CLOSED: failure(.limited, .closed, cause)
            case CONNECTIVITY_MALFORMED: failure(.limited, .unexpectedAnswer, cause)
            case CONNECTIVITY_TIMEOUT:
                ProbeAnswer(
                    .limited, failure: .timedOut(after: timeout, waitingFor: answer.awaited))
            case CONNECTIVITY_CA_FILE:
                failure(.unknown, .invalidProbe, Self.unreadable(question?.caFile))
            case CONNECTIVITY_CANCELLED: ProbeAnswer(.unknown, failure: .cancelled)
            case CONNECTIVITY_NO_LIBRARY:
                failure(.unknown, .missingLibrary, answer.missingLibrary)
            case CONNECTIVITY_INTERFACE:
                failure(
                    .unknown, .notBound, "the probe cannot be bound to the interface (\(cause))")
            case CONNECTIVITY_MARK:
                failure(
                    .unknown, .notBound,
                    "the probe cannot have the mark of the target (\(cause)); give the process "
                        + "CAP_NET_ADMIN")
            default: ProbeAnswer(.unknown, failure: .outOfResources(answer.errno ?? .outOfMemory))
            }
    }

    /// Adds the time of each phase that the probe has.
    func timed(_ answer: connectivity_answer, _ question: HTTPQuestion?) -> ProbeAnswer {
        var timed = self
        var begin: UInt64 = 0
        for (phase, end) in answer.ends(of: ConnectivityFailure.Phase.allCases) where end > 0 {
            let exists =
                switch phase {
                case .name: question?.hasName == true
                case .tls: question?.isSecure == true
                case .connect, .headers, .body: true
                }
            if exists { timed.phases[phase] = .microseconds(end - begin) }
            begin = end
        }
        return timed
    }

    private static func unreadable(_ caFile: String?) -> String {
        caFile.map { "no certificates can be read from '\($0)'" }
            ?? "no certificates can be read from the file of SSL_CERT_FILE or of the system; install "
            + "'ca-certificates', or give another file"
    }

    private static func redirect(
        to url: String, _ failure: (String) -> ProbeAnswer
    ) -> ProbeAnswer {
        guard !url.isEmpty else {
            return failure("the URL of the redirect has more than 4095 bytes")
        }
        let answer = ProbeAnswer(.portal(url: url))
        return answer.level == .portal(url: nil)
            ? failure("the redirect does not lead to an http or https URL") : answer
    }
}

extension connectivity_answer {
    fileprivate var errno: ReachabilityErrno? {
        error == 0 ? nil : ReachabilityErrno(rawValue: error)
    }

    fileprivate var cause: String {
        let text = cText(of: text)
        // libcurl's text of a failed connection contains milliseconds.
        let isText = !text.isEmpty && result != CONNECTIVITY_CONNECT
        return isText ? text : errno?.description ?? "no connection"
    }

    fileprivate func failure(
        _ code: ConnectivityFailure.Code, _ description: String
    ) -> ConnectivityFailure {
        let status = code == .unexpectedAnswer && status != 0 ? status : nil
        return ConnectivityFailure(code, errno: errno, status: status, description)
    }

    /// Whether a request ended while the lookup of its name goes on.
    var isLookingUp: Bool {
        phase == CONNECTIVITY_PHASE_NAME
            && (result == CONNECTIVITY_TIMEOUT || result == CONNECTIVITY_CANCELLED)
    }

    fileprivate func ends(
        of phases: [ConnectivityFailure.Phase]
    ) -> Zip2Sequence<[ConnectivityFailure.Phase], [UInt64]> {
        zip(phases, [ends.0, ends.1, ends.2, ends.3, ends.4])
    }

    /// C's phases have the same order.
    fileprivate var awaited: ConnectivityFailure.Phase {
        ConnectivityFailure.Phase.allCases[Int(phase.rawValue)]
    }

    /// The level of an unexpected answer: an error of the server isn't a portal.
    fileprivate var level: ConnectivityLevel {
        (200...399).contains(status) || status == 511 ? .portal(url: nil) : .limited
    }

    fileprivate var missingLibrary: String {
        error == ENOEXEC
            ? "a static executable cannot load libcurl; link the program dynamically"
            : "libcurl.so.4 (version 7.37 or later) cannot be loaded; install it, with "
                + "'apt-get install libcurl4' on Debian"
    }

    fileprivate func difference(from question: HTTPQuestion?) -> String {
        guard let question, question.status == status else {
            return "the status \(status)" + (question.map { ", expected \($0.status)" } ?? "")
        }
        return "the body differs from the expected one"
    }
}
#endif

extension NetworkManager {
    /// The first known state, as the result of a probe.
    func answer(
        _ snapshot: ReachabilitySnapshot, _ family: NetworkAddress.Family?
    ) async -> ProbeAnswer {
        for await state in states where state.availability != .starting {
            return ProbeAnswer(state, ofInterface: snapshot.interface?.name, family)
        }
        return ProbeAnswer(.unknown, failure: .cancelled)
    }
}

extension ProbeAnswer {
    /// NetworkManager's connectivity of an interface.
    init(
        _ state: NetworkManagerState, ofInterface name: String?, _ family: NetworkAddress.Family?
    ) {
        switch state.availability {
        case .starting: self.init(.unknown)
        case .noDaemon: self.init("NetworkManager does not run")
        case .unavailable(let error): self.init(error.description, error.errno)
        case .available where !state.checksConnectivity:
            self.init(
                "NetworkManager does not check; set 'uri' of [connectivity] in NetworkManager.conf")
        case .available:
            switch state.connectivity(ofInterface: name, family: family) {
            case .full: self.init(.full)
            case .limited: self.init(.limited)
            case .portal: self.init(.portal(url: state.checkURI))
            case .unknown: self.init(.unknown)
            // NetworkManager reports no network, but the kernel has a route.
            case .noNetwork: self.init("NetworkManager does not manage the interface")
            }
        }
    }

    /// The result if NetworkManager doesn't answer: nothing is known about the network.
    static func silentNetworkManager(_ time: Duration) -> ProbeAnswer {
        ProbeAnswer("NetworkManager has not answered within \(time)")
    }

    private init(_ description: String, _ errno: ReachabilityErrno? = nil) {
        self.init(
            .unknown,
            failure: ConnectivityFailure(.noNetworkManager, errno: errno, description))
    }
}
