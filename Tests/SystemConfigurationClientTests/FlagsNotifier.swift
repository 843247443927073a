// SPDX-License-Identifier: MIT

import Foundation
import SystemConfiguration

enum NotifierError: Error {
    case cannotCreate(Int32)
    case cannotSetCallback(Int32)
    case cannotSetQueue(Int32)
    case cannotGetFlags(Int32)
}

extension Notification.Name {
    static let flagsChanged = Notification.Name("test.flagsChanged")
}

/// A client of the kind that reports each different flags word by blocks and a notification: the callback
/// is set before the queue, and the first flags are read synchronously on the callbacks' queue.
class FlagsNotifier: @unchecked Sendable {
    typealias Block = (FlagsNotifier) -> Void

    private final class Weak {
        weak var notifier: FlagsNotifier?

        init(_ notifier: FlagsNotifier) {
            self.notifier = notifier
        }
    }

    var whenReachable: Block?
    var whenUnreachable: Block?
    var notificationCenter = NotificationCenter.default
    private(set) var isRunning = false

    var isReachable: Bool {
        if flags == nil { try? setFlags() }
        return flags?.contains(.reachable) == true
    }

    private(set) var flags: SCNetworkReachabilityFlags? {
        didSet {
            guard flags != oldValue else { return }
            notify()
        }
    }

    private let reachability: SCNetworkReachability
    private let serialQueue: DispatchQueue
    private let notificationQueue: DispatchQueue?

    required init(
        reachability: SCNetworkReachability, targetQueue: DispatchQueue? = nil,
        notificationQueue: DispatchQueue? = .main
    ) {
        self.reachability = reachability
        serialQueue = DispatchQueue(
            label: "test.flags-notifier", qos: .default, target: targetQueue)
        self.notificationQueue = notificationQueue
    }

    convenience init(hostname: String, notificationQueue: DispatchQueue? = .main) throws {
        guard let reachability = SCNetworkReachabilityCreateWithName(nil, hostname) else {
            throw NotifierError.cannotCreate(SCError())
        }
        self.init(reachability: reachability, notificationQueue: notificationQueue)
    }

    convenience init(notificationQueue: DispatchQueue? = .main) throws {
        var zero = sockaddr()
        zero.sa_len = UInt8(MemoryLayout<sockaddr>.size)
        zero.sa_family = sa_family_t(AF_INET)
        guard let reachability = SCNetworkReachabilityCreateWithAddress(nil, &zero) else {
            throw NotifierError.cannotCreate(SCError())
        }
        self.init(reachability: reachability, notificationQueue: notificationQueue)
    }

    deinit {
        stop()
    }

    func start() throws {
        guard !isRunning else { return }
        let callback: SCNetworkReachabilityCallBack = { (reachability, flags, info) in
            guard let info = info else { return }
            let weak = Unmanaged<Weak>.fromOpaque(info).takeUnretainedValue()
            weak.notifier?.flags = flags
        }
        let weak = Weak(self)
        let opaque = Unmanaged<Weak>.passUnretained(weak).toOpaque()
        var context = SCNetworkReachabilityContext(
            version: 0,
            info: UnsafeMutableRawPointer(opaque),
            retain: { (info: UnsafeRawPointer) -> UnsafeRawPointer in
                let unmanaged = Unmanaged<Weak>.fromOpaque(info)
                _ = unmanaged.retain()
                return UnsafeRawPointer(unmanaged.toOpaque())
            },
            release: { (info: UnsafeRawPointer) -> Void in
                Unmanaged<Weak>.fromOpaque(info).release()
            },
            copyDescription: { (info: UnsafeRawPointer) -> Unmanaged<CFString> in
                let weak = Unmanaged<Weak>.fromOpaque(info).takeUnretainedValue()
                let text = weak.notifier?.description ?? "nil"
                return Unmanaged.passRetained(text as CFString)
            })
        if !SCNetworkReachabilitySetCallback(reachability, callback, &context) {
            stop()
            throw NotifierError.cannotSetCallback(SCError())
        }
        if !SCNetworkReachabilitySetDispatchQueue(reachability, serialQueue) {
            stop()
            throw NotifierError.cannotSetQueue(SCError())
        }
        try setFlags()
        isRunning = true
    }

    func stop() {
        isRunning = false
        SCNetworkReachabilitySetCallback(reachability, nil, nil)
        SCNetworkReachabilitySetDispatchQueue(reachability, nil)
    }

    var description: String {
        flags?.letters ?? "unavailable flags"
    }

    private func setFlags() throws {
        try serialQueue.sync {
            var flags = SCNetworkReachabilityFlags()
            if !SCNetworkReachabilityGetFlags(self.reachability, &flags) {
                self.stop()
                throw NotifierError.cannotGetFlags(SCError())
            }
            self.flags = flags
        }
    }

    private func notify() {
        let isReachable = flags?.contains(.reachable) == true
        let notify: @Sendable () -> Void = { [weak self] in
            guard let self = self else { return }
            isReachable
                ? self.whenReachable?(self) : self.whenUnreachable?(self)
            self.notificationCenter.post(name: .flagsChanged, object: self)
        }
        notificationQueue?.async(execute: notify) ?? notify()
    }
}
