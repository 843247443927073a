// SPDX-License-Identifier: MIT

internal import NetworkReachability

/// The bus loop of the current process; a child of fork() makes its own.
package final class SharedBusLoop: Sendable {
    /// The loop that all modules share: one thread and one connection.
    package static let shared = SharedBusLoop(SystemBusOptions())

    private let options: SystemBusOptions
    private let current = ProcessLocal<BusLoop>()

    package init(_ options: SystemBusOptions) {
        self.options = options
    }

    var loop: BusLoop { current.current { _ in BusLoop(options) } }
}
