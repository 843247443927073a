// SPDX-License-Identifier: MIT
import Dispatch
import NetworkReachability
import Observation
import SwiftTestSupport
import Synchronization

/// A user's closure that the library calls.
enum Site: CaseIterable {
    case statusBlock, listener, statusListener, stableListener, observe, onChange, waitPredicate
    case inlineIteration, capturedObject, resolver, hostUpdates, afBlock, reachabilityBlock,
        callback
    case pathHandler, pathHandlerObject, bus, probe

    /// The actions after which nothing is reported to the closure.
    var endedBy: Set<Action> {
        switch self {
        case .statusBlock, .afBlock: [.stop, .cancelItself, .release, .removeBlock]
        case .listener, .statusListener, .stableListener, .observe, .onChange:
            [.stop, .cancelItself, .release]
        // These closures end by themselves, or get no reports of changes.
        case .waitPredicate, .capturedObject, .pathHandlerObject: Set(Action.allCases)
        case .inlineIteration: [.stop, .cancelItself]
        case .hostUpdates: [.cancelItself]
        case .resolver: [.stop, .cancelItself, .release]
        case .reachabilityBlock, .callback, .pathHandler:
            [.stop, .cancelItself, .release, .removeBlock]
        case .bus, .probe: [.cancelItself, .release]
        }
    }

    /// Sets the closure, which calls `heard` with whether the network is available.
    func subscribe(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) async throws {
        switch self {
        case .statusBlock, .listener, .statusListener, .stableListener, .observe, .onChange:
            guard let manager = stage.manager else { return }
            subscribe(stage, manager, heard)
            try manager.startMonitoring()
        case .waitPredicate, .inlineIteration, .hostUpdates: iterate(stage, heard)
        case .capturedObject, .pathHandlerObject: try captureObject(stage, heard)
        case .resolver: try resolve(stage, heard)
        case .afBlock: setAFBlock(stage, heard)
        case .reachabilityBlock: try await setReachabilityBlocks(stage, heard)
        case .callback: try setCallback(stage, heard)
        case .pathHandler: setPathHandler(stage, heard)
        case .bus: listenToBus(stage, heard)
        case .probe: try probe(stage, heard)
        }
    }

    private func subscribe(
        _ stage: Stage, _ manager: NetworkReachabilityManager,
        _ heard: @escaping @Sendable (Bool) -> Void
    ) {
        let queue = DispatchQueue.test()
        switch self {
        case .statusBlock:
            manager.setReachabilityStatusChangeBlock(queue: queue) { heard($0.isReachable) }
            stage.handles.cancel = stage.handles.removeBlock
        case .listener:
            cancel(stage, manager.addListener(queue: queue) { heard($0.status.isReachable) })
        case .stableListener:
            cancel(
                stage,
                manager.addListener(queue: queue, stable: .milliseconds(1)) {
                    heard($0.status.isReachable)
                })
        case .observe:
            let observation = manager.observe(
                \.isReachable, options: [.initial, .new], queue: queue
            ) { _, change in heard(change.newValue ?? false) }
            stage.handles.cancel = { observation.invalidate() }
        case .onChange:
            heard(false)
            track(manager, heard)
        default: cancel(stage, manager.addStatusListener(queue: queue) { heard($0.isReachable) })
        }
    }

    private func cancel(_ stage: Stage, _ listener: ReachabilityListener) {
        stage.handles.cancel = { listener.cancel() }
    }

    /// Observes with an `onChange`, which follows the assignment and is renewed for the next change.
    private func track(
        _ manager: NetworkReachabilityManager, _ heard: @escaping @Sendable (Bool) -> Void
    ) {
        withObservationTracking {
            _ = manager.isReachable
        } onChange: { [weak manager] in
            guard let manager else { return }
            track(manager, heard)
            heard(manager.isReachable)
        }
    }

    private func iterate(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) {
        guard let manager = stage.manager else { return }
        let isInline = self == .inlineIteration
        let site = self
        let namespace = stage.namespace
        let task = Task(executorPreference: isInline ? InlineExecutor.shared : nil) {
            switch site {
            case .waitPredicate:
                _ = try? await manager.wait {
                    heard($0.status.isReachable)
                    return $0.status.isReachable
                }
            case .hostUpdates:
                for try await host in NetworkHost.updates(in: namespace) { heard(host.isOnline) }
            default: for try await status in manager.statuses { heard(status.isReachable) }
            }
        }
        stage.handles.cancel = { task.cancel() }
    }

    /// The object is released when another block replaces the one that captures it.
    private func captureObject(
        _ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void
    ) throws {
        guard self == .capturedObject else {
            return captureObjectInPathHandler(stage, heard)
        }
        let object = Owned { heard(true) }
        stage.manager?.setReachabilityStatusChangeBlock(queue: .test()) { _ in
            withExtendedLifetime(object) {}
        }
        try stage.manager?.startMonitoring()
        heard(false)
    }

    /// Makes the library call the closure, if a change alone does not.
    func provoke(_ stage: Stage) {
        switch self {
        case .capturedObject:
            stage.manager?.setReachabilityStatusChangeBlock(queue: .test()) { _ in }
        case .pathHandlerObject: stage.handles.removeBlock()
        case .resolver: stage.handles.start()
        default: break
        }
    }

    private func resolve(_ stage: Stage, _ heard: @escaping @Sendable (Bool) -> Void) throws {
        let manager = try NetworkReachabilityManager(
            target: .domain("name.test").with(namespace: stage.namespace), options: Stage.options)
        stage.replace(manager)
        cancel(
            stage, manager.addStatusListener(queue: .test()) { if !$0.isReachable { heard(false) } }
        )
        Stage.resolving.withLock { $0 = { _ in heard(true) } }
        stage.handles.start = { [weak manager] in try? manager?.startMonitoring() }
        stage.handles.stop = { [weak manager] in manager?.stopMonitoring() }
        heard(false)
    }
}

/// Calls a closure when it is released.
final class Owned: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}
