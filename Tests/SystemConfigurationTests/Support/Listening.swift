// SPDX-License-Identifier: MIT

import Foundation
import NetworkReachability
import Synchronization
import Testing

// With this import, every file of the test target sees SwiftTestSupport.
@_exported import SwiftTestSupport
@testable import SystemConfiguration

typealias Flags = SCNetworkReachabilityFlags

/// The info of a context, which records the flags of each callback and counts its retains.
final class Info: Sendable {
    let flags = Recorder<Flags>()
    let retains = Atomic(0)
    let releases = Atomic(0)
    /// Runs in each callback, after the flags were recorded.
    let onCall: (@Sendable (SCNetworkReachability) -> Void)?
    /// Runs in each release.
    let onRelease: (@Sendable () -> Void)?

    init(
        onCall: (@Sendable (SCNetworkReachability) -> Void)? = nil,
        onRelease: (@Sendable () -> Void)? = nil
    ) {
        self.onCall = onCall
        self.onRelease = onRelease
    }

    /// The number of retains without a release.
    var holds: Int {
        retains.load(ordering: .relaxed) - releases.load(ordering: .relaxed)
    }

    fileprivate static func at(_ pointer: UnsafeRawPointer) -> Info {
        unsafe Unmanaged<Info>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Sets the callback with `self` as unretained `info`, as all wrappers do.
    @discardableResult
    func listen(to target: SCNetworkReachability) -> Bool {
        var context = unsafe SCNetworkReachabilityContext(
            version: 0, info: Unmanaged.passUnretained(self).toOpaque(),
            retain: { info in
                unsafe Info.at(info).retains.add(1, ordering: .relaxed)
                return unsafe UnsafeRawPointer(Unmanaged<Info>.fromOpaque(info).retain().toOpaque())
            },
            release: { info in
                unsafe Info.at(info).releases.add(1, ordering: .relaxed)
                unsafe Info.at(info).onRelease?()
                unsafe Unmanaged<Info>.fromOpaque(info).release()
            }, copyDescription: { _ in preconditionFailure("nobody calls this") })
        let callback: SCNetworkReachabilityCallBack = { target, flags, info in
            guard let info = unsafe info else { preconditionFailure("info was given") }
            let listener = unsafe Info.at(info)
            listener.flags.record(flags)
            listener.onCall?(target)
        }
        return unsafe SCNetworkReachabilitySetCallback(target, callback, &context)
    }
}

extension Info {
    /// Sets the callback, and schedules the target on a queue in the namespace.
    func listen(
        to target: SCNetworkReachability, on queue: DispatchQueue, in namespace: Namespace
    ) throws {
        listen(to: target)
        #expect(try namespace.schedule(target, queue))
    }
}

func stopListening(to target: SCNetworkReachability) {
    SCNetworkReachabilitySetCallback(target, nil, nil)
}

/// Waits until all pending callbacks on `queue` have returned.
func settle(_ queue: DispatchQueue) async {
    await perform(on: queue)
}

extension Namespace {
    func schedule(_ target: SCNetworkReachability, _ queue: DispatchQueue) throws -> Bool {
        try run { SCNetworkReachabilitySetDispatchQueue(target, queue) }
    }

    /// A namespace with the address 192.0.2.1, which can be removed.
    static func withAddress() throws -> Namespace {
        let namespace = try Namespace()
        try namespace.setAddress(true)
        return namespace
    }

    func setAddress(_ isThere: Bool) throws {
        try ip("addr \(isThere ? "add" : "del") 192.0.2.1/32 dev lo")
    }
}

/// A target that reports every change of 192.0.2.1, so that a test can make one and wait for it.
final class Witness: Sendable {
    private let target: SCNetworkReachability
    private let info = Info()
    private let namespace: Namespace

    init(in namespace: Namespace) throws {
        self.namespace = namespace
        target = try #require(SocketAddress("192.0.2.1").target)
        info.listen(to: target)
        #expect(try namespace.schedule(target, DispatchQueue(label: "witness")))
    }

    /// Adds or removes the address, and waits until that was reported to this and all other targets.
    func set(_ isThere: Bool) async throws {
        try namespace.setAddress(isThere)
        _ = await info.flags.first { $0.contains(.reachable) == isThere }
        await inLoop()
    }

    deinit {
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }
}

extension Flags {
    /// The flags of an address of this host.
    static let own: Flags = [.reachable, .isLocalAddress, .isDirect]

    /// The flags of a loopback address.
    static let loopback: Flags = [.reachable, .isLocalAddress]
}
