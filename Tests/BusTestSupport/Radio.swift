// SPDX-License-Identifier: MIT
import NetworkReachability
package import SystemServices

extension Place {
    /// A radio that uses ``connection(answer:linger:)``.
    package func radio(answer: UInt32 = 0, linger: Int64 = 0) -> CellularRadio {
        CellularRadio(bus: connection(answer: answer, linger: linger))
    }
}

extension SystemService {
    /// Waits for a state.
    package func first(where fits: (State) -> Bool) async -> State? {
        for await state in states where fits(state) { return state }
        return nil
    }
}

extension CellularRadio {
    package func firstModem(where fits: (CellularModem) -> Bool) async -> CellularModem? {
        for await state in states {
            if let modem = state.modems.first, fits(modem) { return modem }
        }
        return nil
    }
}

/// The object path of a modem of the fake.
package func path(_ number: Int) -> String { "/org/freedesktop/ModemManager1/Modem/\(number)" }
