// SPDX-License-Identifier: MIT

#if canImport(CConnectivity)
internal import CConnectivity
#endif
internal import NetworkReachability
internal import ReachLibc
internal import SystemServices

extension ConnectivityProbe {
    #if canImport(CConnectivity)
    /// Whether the process can load libcurl and libsystemd: a static executable can't.
    package static var canLoadLibraries: Bool { connectivity_can_load() }
    #endif

    /// When the schedule ends the probe; nil if it ends by itself.
    var limit: ProbeLimit? {
        switch kind {
        case .tcp, .http: nil
        case .custom:
            ProbeLimit(
                time: timeout,
                answer: ProbeAnswer(.limited, failure: .timedOut(after: timeout)))
        case .networkManager:
            ProbeLimit(time: timeout, answer: .silentNetworkManager(timeout))
        }
    }

    /// The service whose changes suggest a new probe; nil for other kinds of probe.
    var networkManager: NetworkManager? {
        if case .networkManager(let manager) = kind { manager } else { nil }
    }

    /// Probes the path of the snapshot, until the task is cancelled.
    func run(_ target: ReachabilityTarget, _ snapshot: ReachabilitySnapshot) async -> ProbeAnswer {
        guard !Task.isCancelled else { return ProbeAnswer(.unknown, failure: .cancelled) }
        #if canImport(CConnectivity)
        let path = ProbePath(target, snapshot, timeout)
        #endif
        switch kind {
        case .custom(let question): return await question(snapshot)
        case .networkManager(let manager):
            return await manager.answer(snapshot, target.family ?? snapshot.source?.family)
        #if canImport(CConnectivity)
        case .http(let question):
            return await ProbeCall.run(in: question.hasName ? .names : .addresses) {
                path.ask(question, cancelledBy: $0)
            }
        case .tcp(let port):
            return await ProbeCall.run(in: .addresses) { path.connect(to: port, cancelledBy: $0) }
        #else
        case .http, .tcp: return ProbeAnswer(.unknown, failure: .notMonitored(.unsupportedSystem))
        #endif
        }
    }
}

#if canImport(CConnectivity)
/// The binding of a probe, taken from its target: namespace, interface, mark, and family.
struct ProbePath: Sendable {
    let namespace: NetworkNamespace
    let interface: String?
    let mark: UInt32
    let family: NetworkAddress.Family?
    /// The addresses that a TCP probe connects to.
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

    func ask(_ question: HTTPQuestion, cancelledBy descriptor: CInt) -> ProbeOutcome {
        let family = family.map { $0 == .ipv4 ? AF_INET : AF_INET6 } ?? 0
        // Each line ends with a NUL, the text with another one.
        let headers = question.headers.map { $0 + "\0" }.joined()
        return unsafe withPath(cancelledBy: descriptor, expecting: question) { path, answer in
            unsafe question.url.withCString { url in
                unsafe headers.withCString { headers in
                    unsafe withCString(question.body) { body in
                        unsafe withCString(question.caFile) { caFile in
                            unsafe withCString(question.proxy) { proxy in
                                var http = unsafe connectivity_http(
                                    url: url, family: family, status: question.status,
                                    body: body, headers: headers, ca_file: caFile, proxy: proxy)
                                return unsafe connectivity_probe_http(path, &http, answer)
                            }
                        }
                    }
                }
            }
        }
    }

    func connect(to port: UInt16, cancelledBy descriptor: CInt) -> ProbeOutcome {
        let remote = addresses.map { connectivity_address($0) }
        return unsafe withPath(cancelledBy: descriptor, expecting: nil) { path, answer in
            if let local {
                var source = connectivity_address(local)
                unsafe connectivity_probe_tcp(path, remote, remote.count, port, &source, answer)
            } else {
                unsafe connectivity_probe_tcp(path, remote, remote.count, port, nil, answer)
            }
            return nil
        }
    }

    /// Calls `body`, which returns the open request, if there is one.
    private func withPath(
        cancelledBy descriptor: CInt, expecting question: HTTPQuestion?,
        _ body: (UnsafePointer<connectivity_path>, UnsafeMutablePointer<connectivity_answer>) ->
            OpaquePointer?
    ) -> ProbeOutcome {
        do throws(ReachabilityError) {
            let opened = try OpenNamespace(namespace)
            let netns = opened.descriptor
            var answer = connectivity_answer()
            let rest = unsafe withCString(interface) { interface in
                var path = unsafe connectivity_path(
                    interface: interface, mark: mark, netns_fd: netns, cancel_fd: descriptor,
                    milliseconds: timeout.milliseconds)
                return unsafe body(&path, &answer)
            }
            withExtendedLifetime(opened) {}
            let location = unsafe rest.map { request in
                unsafe String(cString: connectivity_http_location(request))
            }
            return unsafe ProbeOutcome(
                answer: ProbeAnswer(
                    answer, location: location ?? "", expecting: question, timeout
                ).timed(answer, question),
                isLookingUp: rest != nil && answer.isLookingUp
            ) { unsafe connectivity_http_close(rest) }
        } catch {
            return ProbeOutcome(answer: ProbeAnswer(.unknown, failure: .notMonitored(error)))
        }
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

@unsafe
private func withCString<Result>(
    _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return unsafe text.withCString { unsafe body($0) }
}

extension Duration {
    /// The duration in milliseconds, rounded up, at least 1.
    fileprivate var milliseconds: UInt32 {
        let (seconds, attoseconds) = components
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt32(clamping: max(1, seconds * 1000 + rest))
    }
}
#endif
