// SPDX-License-Identifier: MIT

internal import CConnectivity
internal import NetworkReachability

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

extension ConnectivityProbe {
    /// When the schedule ends it; nil if it ends by itself.
    ///
    /// libcurl waits for getaddrinfo().
    var limit: ProbeLimit? {
        switch kind {
        case .tcp: nil
        case .http, .custom:
            ProbeLimit(
                time: timeout,
                answer: ProbeAnswer(.limited, failure: .timedOut(after: timeout)))
        case .networkManager:
            ProbeLimit(time: timeout, answer: .silentNetworkManager(timeout))
        }
    }

    /// Whose changes are hints that another answer is to be had.
    var networkManager: NetworkManager? {
        if case .networkManager(let manager) = kind { manager } else { nil }
    }

    /// Asks, for the path of the snapshot, until the task is cancelled.
    func run(_ target: ReachabilityTarget, _ snapshot: ReachabilitySnapshot) async -> ProbeAnswer {
        guard !Task.isCancelled else { return ProbeAnswer(.unknown, failure: .cancelled) }
        let path = ProbePath(target, snapshot, timeout)
        switch kind {
        case .custom(let question): return await question(snapshot)
        case .networkManager(let manager):
            return await manager.answer(snapshot, target.family ?? snapshot.source?.family)
        case .http(let question):
            return await ProbeCall.run { path.ask(question, cancelledBy: $0) }
        case .tcp(let port):
            return await ProbeCall.run { path.connect(to: port, cancelledBy: $0) }
        }
    }
}

/// What a probe is bound to, which is that of the target.
struct ProbePath: Sendable {
    let namespace: NetworkNamespace
    let interface: String?
    let mark: UInt32
    let family: NetworkAddress.Family?
    /// Those that a TCP probe connects to.
    let addresses: [NetworkAddress]
    let local: NetworkAddress?
    let timeout: Duration

    init(_ target: ReachabilityTarget, _ snapshot: ReachabilitySnapshot, _ timeout: Duration) {
        namespace = target.namespace
        interface =
            target.interfaceName
            ?? target.interfaceIndex.flatMap { index in
                snapshot.interface.flatMap { $0.index == index ? $0.name : nil }
            }
        mark = target.mark
        self.timeout = timeout
        switch target.kind {
        case .address(let address):
            addresses = [address]
            local = nil
            family = address.isUnspecified ? target.family : address.family
        case .addressPair(let source, let remote):
            addresses = [remote].compactMap(\.self)
            local = source
            family = remote?.family ?? source?.family
        case .internet, .localWiFi, .domain:
            addresses = snapshot.addresses
            local = nil
            family = target.family
        }
    }

    func ask(_ question: HTTPQuestion, cancelledBy descriptor: CInt) -> ProbeAnswer {
        unsafe withPath(cancelledBy: descriptor) { path, answer in
            func ask(_ url: UnsafePointer<CChar>, _ body: UnsafePointer<CChar>?) {
                let family = family.map { $0 == .ipv4 ? AF_INET : AF_INET6 } ?? 0
                var http = unsafe connectivity_http(
                    url: url, family: family, status: question.status, body: body)
                unsafe connectivity_http(path, &http, answer)
            }
            unsafe question.url.withCString { url in
                guard let body = question.body else { return unsafe ask(url, nil) }
                unsafe body.withCString { body in unsafe ask(url, body) }
            }
        } judge: { answer in
            ProbeAnswer(answer, expecting: question, timeout)
        }
    }

    func connect(to port: UInt16, cancelledBy descriptor: CInt) -> ProbeAnswer {
        let remote = addresses.map { connectivity_address($0) }
        return unsafe withPath(cancelledBy: descriptor) { path, answer in
            guard let local else {
                unsafe connectivity_tcp(path, remote, remote.count, port, nil, answer)
                return
            }
            var source = connectivity_address(local)
            unsafe connectivity_tcp(path, remote, remote.count, port, &source, answer)
        } judge: { answer in
            ProbeAnswer(answer, expecting: nil, timeout)
        }
    }

    private func withPath(
        cancelledBy descriptor: CInt,
        _ body: (UnsafePointer<connectivity_path>, UnsafeMutablePointer<connectivity_answer>) ->
            Void,
        judge: (connectivity_answer) -> ProbeAnswer
    ) -> ProbeAnswer {
        do throws(ReachabilityError) {
            let opened = try OpenNamespace(namespace)
            let netns = opened.descriptor
            var answer = connectivity_answer()
            func call(_ interface: UnsafePointer<CChar>?) {
                var path = unsafe connectivity_path(
                    interface: interface, mark: mark, netns_fd: netns, cancel_fd: descriptor,
                    milliseconds: timeout.milliseconds)
                unsafe body(&path, &answer)
            }
            if let interface {
                unsafe interface.withCString { unsafe call($0) }
            } else {
                call(nil)
            }
            withExtendedLifetime(opened) {}
            return judge(answer)
        } catch {
            return ProbeAnswer(.unknown, failure: .notMonitored(error))
        }
    }
}

extension ProbeAnswer {
    fileprivate init(
        _ answer: connectivity_answer, expecting question: HTTPQuestion?,
        _ timeout: Duration
    ) {
        let errno = answer.error == 0 ? nil : ReachabilityErrno(rawValue: answer.error)
        let text = unsafe withUnsafeBytes(of: answer.text) { unsafe cText($0) }
        func failure(
            _ level: ConnectivityLevel, _ code: ConnectivityFailure.Code, _ description: String
        ) -> ProbeAnswer {
            ProbeAnswer(
                level, failure: ConnectivityFailure(code, errno: errno, description))
        }
        let cause = text.isEmpty ? errno?.description ?? "no answer" : text
        if let code = Self.codes[answer.result.rawValue] {
            self = failure(.limited, code, cause)
            return
        }
        self =
            switch answer.result {
            case CONNECTIVITY_EXPECTED: ProbeAnswer(.full)
            case CONNECTIVITY_REDIRECT:
                answer.target.map { ProbeAnswer(.portal(url: $0)) }
                    ?? failure(
                        .portal(url: nil), .unexpectedAnswer,
                        "the URL of the redirect has more than 4095 bytes")
            case CONNECTIVITY_UNEXPECTED:
                failure(answer.level, .unexpectedAnswer, answer.difference(from: question))
            case CONNECTIVITY_TIMEOUT:
                ProbeAnswer(.limited, failure: .timedOut(after: timeout))
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
            default: ProbeAnswer(.unknown, failure: .outOfResources(errno ?? .outOfMemory))
            }
    }

    /// Failures of the path, which need no more text than their cause.
    private static let codes: [UInt32: ConnectivityFailure.Code] = [
        CONNECTIVITY_NAME.rawValue: .nameNotResolved,
        CONNECTIVITY_CONNECT.rawValue: .notConnected,
        CONNECTIVITY_TLS.rawValue: .tls,
        CONNECTIVITY_CLOSED.rawValue: .closed,
        CONNECTIVITY_MALFORMED.rawValue: .unexpectedAnswer,
    ]
}

extension connectivity_answer {
    fileprivate var target: String? {
        let url = unsafe withUnsafeBytes(of: url) { unsafe cText($0) }
        return url.isEmpty ? nil : url
    }

    /// Of an answer that was not expected: an error of the server is no portal.
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
            return "the status \(status)" + (question.map { " in place of \($0.status)" } ?? "")
        }
        return "another body than expected"
    }
}

extension connectivity_address {
    fileprivate init(_ address: NetworkAddress) {
        self.init()
        family = address.family == .ipv4 ? AF_INET : AF_INET6
        scope_id = address.scopeID
        unsafe withUnsafeMutableBytes(of: &bytes) { unsafe $0.copyBytes(from: address.bytes) }
    }
}

extension NetworkAddress {
    fileprivate var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}

/// The text before the first NUL.
@unsafe
private func cText(_ bytes: UnsafeRawBufferPointer) -> String {
    unsafe String(decoding: bytes.prefix { byte in byte != 0 }, as: UTF8.self)
}

extension Duration {
    /// Rounded up, at least 1.
    fileprivate var milliseconds: UInt32 {
        let (seconds, attoseconds) = components
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt32(clamping: max(1, seconds * 1000 + rest))
    }
}
