// SPDX-License-Identifier: MIT
import AppleReachability
import BusTestSupport
import Dispatch
import NetworkPath
import NetworkReachability
import ReachabilityConnectivity
import SwiftTestSupport
import SystemServices

@testable import SystemConfiguration

extension Site {
    func setAFBlock(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) {
        guard let core = stage.manager else { return }
        let manager = AFNetworkReachabilityManager(manager: core)
        stage.keep(manager)
        stage.handles = Stage.Handles(
            start: { [weak manager] in manager?.startMonitoring() },
            stop: { [weak manager] in manager?.stopMonitoring() },
            cancel: { [weak manager] in manager?.setReachabilityStatusChange(nil) },
            removeBlock: { [weak manager] in manager?.setReachabilityStatusChange(nil) })
        manager.setReachabilityStatusChange { heard($0.isReachable) }
        manager.startMonitoring()
    }

    /// The blocks are called on the run loop of the thread that starts the notifier.
    func setReachabilityBlocks(
        _ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void
    ) async throws {
        guard let core = stage.manager else { return }
        let sample = Reachability(manager: core)
        let loop = RunLoopThread()
        stage.keep(sample)
        let removeBlocks: @Sendable () -> Void = { [weak sample] in
            sample?.reachableBlock = nil
            sample?.unreachableBlock = nil
        }
        stage.handles = Stage.Handles(
            start: { [weak sample] in sample?.startNotifier() },
            stop: { [weak sample] in sample?.stopNotifier() },
            cancel: removeBlocks, removeBlock: removeBlocks)
        sample.reachableBlock = { _ in heard(true) }
        sample.unreachableBlock = { _ in heard(false) }
        await loop.perform { sample.startNotifier() }
        // An address is not reported at the start.
        heard(false)
    }

    func setCallback(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) throws {
        let target = try stage.world.namespace.run {
            SCNetworkReachability(
                Endpoint(address: try NetworkAddress(World.address)), options: Stage.options)
        }
        stage.keep(target)
        let queue = DispatchQueue.test()
        let removeCallback: @Sendable () -> Void = { [weak target] in
            guard let target else { return }
            SCNetworkReachabilitySetCallback(target, nil, nil)
        }
        let world = stage.world
        let schedule: @Sendable (SCNetworkReachability) -> Void = { target in
            // Scheduling uses the namespace of the thread.
            try? world.namespace.run { _ = SCNetworkReachabilitySetDispatchQueue(target, queue) }
        }
        stage.handles = Stage.Handles(
            start: { [weak target] in
                guard let target else { return }
                schedule(target)
            },
            stop: { [weak target] in
                guard let target else { return }
                SCNetworkReachabilitySetDispatchQueue(target, nil)
            }, cancel: removeCallback, removeBlock: removeCallback)
        BusTestSupport.setCallback(of: target) { heard($0.contains(.reachable)) }
        schedule(target)
        heard(false)
    }

    func setPathHandler(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) {
        startPathMonitor(stage) { heard($0.status == .satisfied) }
    }

    /// The object is released when the handler that captures it is removed.
    func captureObjectInPathHandler(
        _ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void
    ) {
        let object = Owned { heard(true) }
        startPathMonitor(stage) { _ in withExtendedLifetime(object) {} }
        heard(false)
    }

    private func startPathMonitor(_ stage: Stage, _ handler: @escaping @Sendable (NWPath) -> Void) {
        let monitor = NWPathMonitor(in: stage.namespace, options: Stage.options, allowing: nil)
        stage.keep(monitor)
        let queue = DispatchQueue.test()
        let removeHandler: @Sendable () -> Void = { [weak monitor] in
            monitor?.pathUpdateHandler = nil
        }
        stage.handles = Stage.Handles(
            start: { [weak monitor] in monitor?.start(queue: queue) },
            stop: { [weak monitor] in monitor?.cancel() },
            cancel: removeHandler, removeBlock: removeHandler)
        monitor.pathUpdateHandler = handler
        monitor.start(queue: queue)
    }

    func listenToBus(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) {
        let network = NetworkManager(bus: stage.world.place.connection())
        stage.keep(network)
        let listener = network.addListener(queue: .test()) { state in
            if state.availability == .available { heard(state.connectivity == .full) }
        }
        stage.handles.cancel = { listener.cancel() }
    }

    func probe(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) throws {
        let monitor = try ConnectivityMonitor(
            target: stage.target,
            probe: .custom { _ in
                heard(true)
                return .full
            })
        stage.keep(monitor)
        let listener = monitor.addListener(queue: .test()) { state in
            if !state.isChecking && state.level != .full { heard(false) }
        }
        stage.handles.cancel = { listener.cancel() }
    }
}
