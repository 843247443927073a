// SPDX-License-Identifier: MIT

import CAllocations
import Glibc

/// Enters a network namespace, before the process has threads.
///
/// - Returns: The socket that changes go through.
public func enterNamespace() -> CInt {
    let socket = allocations_open()
    guard socket >= 0 else {
        print("no network namespace: \(String(cString: strerror(-socket)))")
        exit(71)
    }
    return socket
}

/// Makes changes, each after the last one was reported, and prints the allocations per change.
///
/// The first half of the changes only warms up.
public func countAllocations(socket: CInt, wait: () -> Void) -> Never {
    let rounds = 2000
    wait()
    var begin = 0
    for round in 0..<2 * rounds {
        if round == rounds { begin = allocations_count() }
        guard allocations_change(socket, round % 2 == 0) == 0 else { fatalError("no change") }
        wait()
    }
    print(Double(allocations_count() - begin) / Double(rounds))
    exit(0)
}
