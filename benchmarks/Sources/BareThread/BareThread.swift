// SPDX-License-Identifier: MIT

import CBoard
import Dispatch

/// Starts a thread that waits for events of routes, looks the target up after each, and reports the verdict.
///
/// This is the yardstick of what the library does in Swift: `report` hops to a queue, or to a task.
public func startBareThread(_ report: @escaping @Sendable (_ isReachable: Bool) -> Void) {
    DispatchQueue(label: "BareThread").async {
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
