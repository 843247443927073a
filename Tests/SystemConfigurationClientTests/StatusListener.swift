// SPDX-License-Identifier: MIT

import Foundation

#if canImport(SystemConfiguration)
import SystemConfiguration

/// A client of the kind that derives a status and reports each different one: the queue is set before
/// the callback, the first report is its own, and it stops unconditionally at start and in deinit.
class StatusListener: @unchecked Sendable {
    enum Status: Equatable, Sendable {
        case unknown
        case notReachable
        case reachable(isCellular: Bool)

        init(_ flags: SCNetworkReachabilityFlags) {
            guard flags.canBeUsed else {
                self = .notReachable
                return
            }
            self = .reachable(isCellular: flags.contains(.isWWAN))
        }
    }

    typealias Listener = @Sendable (Status) -> Void

    /// The object that the context points to, so that no callback keeps the listener alive.
    private final class Box {
        weak var listener: StatusListener?

        init(_ listener: StatusListener) {
            self.listener = listener
        }
    }

    private struct State {
        var listener: Listener?
        var queue: DispatchQueue?
        var last: Status?
    }

    let reachabilityQueue = DispatchQueue(label: "test.status-listener")
    private let reachability: SCNetworkReachability
    private let lock = NSLock()
    private var state = State()

    convenience init?(host: String) {
        guard let reachability = SCNetworkReachabilityCreateWithName(nil, host) else {
            return nil
        }
        self.init(reachability: reachability)
    }

    convenience init?() {
        var zero = sockaddr()
        zero.sa_len = UInt8(MemoryLayout<sockaddr>.size)
        zero.sa_family = sa_family_t(AF_INET)
        guard let reachability = SCNetworkReachabilityCreateWithAddress(nil, &zero) else {
            return nil
        }
        self.init(reachability: reachability)
    }

    init(reachability: SCNetworkReachability) {
        self.reachability = reachability
    }

    deinit {
        stop()
    }

    var flags: SCNetworkReachabilityFlags? {
        var flags = SCNetworkReachabilityFlags()
        return SCNetworkReachabilityGetFlags(reachability, &flags) ? flags : nil
    }

    var status: Status {
        flags.map(Status.init) ?? .unknown
    }

    @discardableResult
    func start(on queue: DispatchQueue = .main, listener: @escaping Listener) -> Bool {
        stop()
        lock.withLock {
            state.queue = queue
            state.listener = listener
        }
        let box = Box(self)
        var context = SCNetworkReachabilityContext(
            version: 0,
            info: Unmanaged.passUnretained(box).toOpaque(),
            retain: { info in
                let box = Unmanaged<Box>.fromOpaque(info)
                _ = box.retain()
                return UnsafeRawPointer(box.toOpaque())
            },
            release: { info in Unmanaged<Box>.fromOpaque(info).release() },
            copyDescription: { info in
                let box = Unmanaged<Box>.fromOpaque(info).takeUnretainedValue()
                let text = box.listener?.flags.map { "\($0.rawValue)" } ?? "none"
                return Unmanaged.passRetained(text as CFString)
            })
        let callback: SCNetworkReachabilityCallBack = { _, flags, info in
            guard let info = info else { return }
            let box = Unmanaged<Box>.fromOpaque(info).takeUnretainedValue()
            box.listener?.notify(flags)
        }
        let isOnQueue = SCNetworkReachabilitySetDispatchQueue(reachability, reachabilityQueue)
        let hasCallback = SCNetworkReachabilitySetCallback(reachability, callback, &context)
        if let flags = flags {
            reachabilityQueue.async { self.notify(flags) }
        }
        return isOnQueue && hasCallback
    }

    func stop() {
        SCNetworkReachabilitySetCallback(reachability, nil, nil)
        SCNetworkReachabilitySetDispatchQueue(reachability, nil)
        lock.withLock { state = State() }
    }

    func notify(_ flags: SCNetworkReachabilityFlags) {
        let status = Status(flags)
        lock.withLock {
            guard state.last != status else { return }
            state.last = status
            guard let listener = state.listener else { return }
            state.queue?.async { listener(status) }
        }
    }
}

extension SCNetworkReachabilityFlags {
    var canBeUsed: Bool {
        let isAutomatic =
            contains(.connectionOnDemand) || contains(.connectionOnTraffic)
            || contains(.connectionAutomatic)
        let isUnattended = isAutomatic && !contains(.interventionRequired)
        return contains(.reachable) && (!contains(.connectionRequired) || isUnattended)
    }

    var letters: String {
        let l = contains(.isLocalAddress) ? "l" : "-"
        let d = contains(.isDirect) ? "d" : "-"
        let t = contains(.transientConnection) ? "t" : "-"
        let r = contains(.reachable) ? "R" : "-"
        return "\(r)\(t)\(l)\(d)"
    }
}
#endif
