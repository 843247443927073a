// SPDX-License-Identifier: MIT

internal import Synchronization

/// The bus loop of the current process; a child of fork() makes its own.
@safe
package final class SharedBusLoop: Sendable {
    /// The loop that all modules share: one thread and one connection.
    package static let shared = SharedBusLoop(SystemBusOptions())

    private let options: SystemBusOptions
    /// The loop, made by this process or by the parent before fork().
    ///
    /// A child of fork() replaces it, because it has no thread of its parent, and must not use its
    /// connection.
    private let current = unsafe Atomic<Unmanaged<BusLoop>?>(nil)

    package init(_ options: SystemBusOptions) {
        self.options = options
    }

    deinit {
        let loop = unsafe current.load(ordering: .acquiring)
        unsafe loop?.release()
    }

    var loop: BusLoop {
        let known = unsafe current.load(ordering: .acquiring)
        if let loop = unsafe known?.takeUnretainedValue(), loop.isOfThisProcess { return loop }
        let new = unsafe Unmanaged.passRetained(BusLoop(options))
        // The loop of the parent is never freed: its lock may be held forever.
        let (isFirst, _) = unsafe current.compareExchange(
            expected: known, desired: new, ordering: .acquiringAndReleasing)
        if !isFirst { unsafe new.release() }
        return self.loop
    }
}
