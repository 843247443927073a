// SPDX-License-Identifier: MIT
import CellularRadio
import NetworkReachability

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client of ModemManager, driven by the tool's own loop.
struct Radio: ~Copyable {
    private let client: ModemManagerClient
    /// The state at the last change.
    private(set) var state: CellularRadioState?

    init() throws(Failure) {
        do {
            client = try ModemManagerClient()
        } catch {
            throw .system("the modems", error.rawValue)
        }
    }

    /// What to poll, and after how many milliseconds ``hasChanged()`` is due; nil for any time.
    var polled: (descriptor: pollfd, milliseconds: Int64?) {
        let (descriptor, events) = client.polled
        let timeout = client.timeout
        return (
            pollfd(fd: descriptor, events: events, revents: 0), timeout < 0 ? nil : Int64(timeout)
        )
    }

    /// Reads what has arrived; whether the state is another one than before.
    mutating func hasChanged() -> Bool {
        guard client.dispatch() else { return false }
        let new = client.state
        guard new.availability != .starting, new != state else { return false }
        state = new
        return true
    }

    /// The first state that is known; nil after so many milliseconds.
    consuming func firstState(within milliseconds: Int64) throws(Failure) -> CellularRadioState? {
        let waiter = Waiter()
        let end = monotonicMilliseconds() + milliseconds
        while !hasChanged() {
            let rest = end - monotonicMilliseconds()
            guard rest > 0 else { return nil }
            var descriptors = [polled.descriptor]
            _ = try waiter.wait(
                for: &descriptors, milliseconds: min(rest, polled.milliseconds ?? rest))
        }
        return state
    }
}

extension CellularModem {
    /// Technology and generation, for example "LTE (4G)"; the state if there is none.
    var text: String {
        technology.map { "\($0) (\($0.generation))" } ?? "\(state)"
    }

    /// The members that `reachctl interfaces` documents.
    var json: JSONObject {
        var object = JSONObject()
        object.set("technology", technology?.rawValue)
        object.set("generation", generation?.rawValue)
        object.set("operator", operatorName)
        object.set("signal", signal.map { Int32($0.percent) })
        object.set("roaming", registration == .unknown ? nil : isRoaming)
        object.set("state", state.description)
        return object
    }
}

extension CellularRadioState {
    /// One line for `reachctl watch`: each modem, or why there is none.
    var text: String {
        switch availability {
        case .starting: return "starting"
        case .noDaemon: return "ModemManager does not run"
        case .unavailable(let error): return error.description
        case .available: break
        }
        guard !modems.isEmpty else { return "no modem" }
        return modems.map { modem in
            let words = [
                modem.networkInterfaces.first, modem.text, modem.operatorName,
                modem.signal.map { "\($0.percent)%" }, modem.isRoaming ? "roaming" : nil,
            ]
            return words.compactMap(\.self).joined(separator: " ")
        }.joined(separator: ", ").printable
    }

    /// The same as JSON: the modems, each with its interfaces, and an error.
    func json(time: String) -> String {
        var object = JSONObject()
        object.set("time", time)
        object.set(
            "radio",
            modems.map { modem in
                var object = modem.json
                object.set("interfaces", modem.networkInterfaces)
                return object
            })
        object.set("error", availability == .available ? nil : text)
        return object.line
    }
}
