// SPDX-License-Identifier: MIT

import CBoard
import Glibc

/// Starts a thread that waits for events of routes, looks the target up after each, and reports the verdict.
///
/// This is the yardstick of what the library does in Swift: `report` hops to a queue, or to a task.
public func startBareThread(_ report: @escaping @Sendable (_ isReachable: Bool) -> Void) {
    let box = Unmanaged.passRetained(Box(report)).toOpaque()
    var thread = pthread_t()
    let error = pthread_create(
        &thread, nil,
        { box in
            if let box { Unmanaged<Box>.fromOpaque(box).takeRetainedValue().run() }
            return nil
        }, box)
    guard error == 0 else { fatalError("no thread: \(error)") }
}

private final class Box: Sendable {
    private let report: @Sendable (Bool) -> Void

    init(_ report: @escaping @Sendable (Bool) -> Void) { self.report = report }

    func run() -> Never {
        var bare = board_bare()
        guard board_bare_open(&bare) == 0 else { fatalError("no sockets") }
        while true {
            let verdict = board_bare_look_up(&bare)
            guard verdict >= 0 else { fatalError("no lookup") }
            report(verdict == 1)
            guard board_bare_wait(&bare) == 0 else { fatalError("no event") }
        }
    }
}
