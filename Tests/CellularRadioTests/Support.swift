// SPDX-License-Identifier: MIT
import BusTestSupport

@testable import CellularRadio

extension Place {
    /// A radio of this bus, which does not wait long.
    func radio(answer: UInt32 = 0, linger: Int64 = 0) -> CellularRadio {
        CellularRadio(bus: connection(answer: answer, linger: linger))
    }
}

extension CellularRadio {
    /// Waits for a state.
    func first(where fits: (CellularRadioState) -> Bool) async -> CellularRadioState? {
        for await state in states where fits(state) { return state }
        return nil
    }

    func firstModem(where fits: (CellularModem) -> Bool) async -> CellularModem? {
        for await state in states {
            if let modem = state.modems.first, fits(modem) { return modem }
        }
        return nil
    }
}

/// The object path of a modem of the fake.
func path(_ number: Int) -> String { "/org/freedesktop/ModemManager1/Modem/\(number)" }
