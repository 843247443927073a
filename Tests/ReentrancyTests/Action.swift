// SPDX-License-Identifier: MIT
import Foundation
import NetworkReachability
import SwiftTestSupport

/// A call that a closure makes.
enum Action: CaseIterable {
    case start, stop, cancelItself, cancelAnother, add, removeBlock, release, ask, wait, explain,
        fork

    /// Without fork() under ThreadSanitizer, which doesn't support it.
    static let possible = allCases.filter {
        $0 != .fork || ProcessInfo.processInfo.environment["REACH_HAMMER_FORK"] != "0"
    }

    func perform(on stage: Stage) {
        switch self {
        case .start: stage.handles.start()
        case .stop: stage.handles.stop()
        case .cancelItself: stage.handles.cancel()
        case .cancelAnother: stage.other?.cancel()
        case .add: stage.add { $0.addListener(queue: .global()) { _ in } }
        case .removeBlock: stage.handles.removeBlock()
        case .release: stage.release()
        case .ask: _ = try? stage.manager?.currentSnapshot()
        case .wait: stage.wait()
        case .explain:
            _ = try? stage.manager?.explanation()
            try? NetworkHost.refresh(in: stage.namespace)
        case .fork:
            let child = SwiftTestSupport.fork {
                stage.manager?.stopMonitoring()
                return 0
            }
            precondition(SwiftTestSupport.wait(for: child) == 0)
        }
    }
}
