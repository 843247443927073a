// SPDX-License-Identifier: MIT

/// The bus address and the times of a client; tests have a bus of their own.
package struct SystemBusOptions: Hashable, Sendable {
    /// D-Bus address; nil for `DBUS_SYSTEM_BUS_ADDRESS` or the system bus.
    package var address: String?
    /// Milliseconds before the first retry to connect; 0 for the default.
    package var retry: UInt32 = 0
    /// Milliseconds to wait for an answer; 0 for the default.
    package var answer: UInt32 = 0
    /// Milliseconds that a service stays watched after its last listener is gone.
    ///
    /// Thus a program that reads the state repeatedly doesn't start the watch each time.
    package var linger: Int64 = 5000

    package init(address: String? = nil) {
        self.address = address
    }
}
