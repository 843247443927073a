// SPDX-License-Identifier: MIT

import NetworkReachability
import ReachabilityConnectivity
import SystemServices

/// How long a command that prints its output once waits for a service.
private let patience = Duration.seconds(1)

extension SystemService {
    /// The state; nil if the service doesn't answer within a second of the first call.
    ///
    /// To wait for several services at once, first call `currentState()` of each.
    func firstState() -> State? {
        let state = currentState(timeout: patience)
        return state.availability == .starting ? nil : state
    }
}

extension CellularModem {
    /// Technology and generation, for example "LTE (4G)"; else the state and its cause.
    var text: String {
        if let technology { return "\(technology) (\(technology.generation))" }
        if let failedReason { return "\(state): \(failedReason)" }
        if isLocked { return "\(state): \(lock)" }
        return isRadioOn == false ? "\(state), radio off" : "\(state)"
    }

    /// The members that `reachctl interfaces` documents.
    var json: JSONObject {
        [
            "technology": technology?.rawValue, "generation": generation?.rawValue,
            "operator": operatorName, "signal": signalQuality.map(Int32.init),
            "roaming": registration == .unknown ? nil : isRoaming, "state": "\(state)",
            "failedReason": failedReason.map { "\($0)" },
            "power": isRadioOn.map { $0 ? "on" : "off" },
            "lock": lock == .unknown ? nil : lock.description,
        ]
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
                modem.signalQuality.map { "\($0)%" }, modem.isRoaming ? "roaming" : nil,
            ]
            return words.compactMap(\.self).joined(separator: " ")
        }.joined(separator: ", ").printable
    }

    /// The state as JSON: the modems, each with its interfaces, and an error.
    func json(time: String) -> String {
        var object = JSONObject(event: "radio", time: time)
        let modems = modems.map { modem in
            var object = modem.json
            object.set("interfaces", modem.networkInterfaces)
            return object
        }
        object.add(["radio": modems, "error": availability == .available ? nil : text])
        return object.line
    }
}

extension NetworkManagerDevice {
    /// NetworkManager's word; nil if it knows none.
    var meteredText: String? { metered == .unknown ? nil : metered.description }

    /// The levels of both families, for example "full (IPv4), none (IPv6)"; one word if equal, nil if neither is
    /// known.
    var connectivityText: String? {
        guard connectivity != .unknown else { return nil }
        if ipv4Connectivity == ipv6Connectivity { return "\(ipv4Connectivity)" }
        return [(ipv4Connectivity, "IPv4"), (ipv6Connectivity, "IPv6")]
            .filter { $0.0 != .unknown }.map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
    }

    /// The member `connectivity` that `reachctl interfaces` documents; nil if neither is known.
    var connectivityJSON: JSONObject? {
        guard connectivity != .unknown else { return nil }
        return [
            "ipv4": ipv4Connectivity == .unknown ? nil : "\(ipv4Connectivity)",
            "ipv6": ipv6Connectivity == .unknown ? nil : "\(ipv6Connectivity)",
        ]
    }
}

extension CommonOptions {
    /// Whether to ask NetworkManager, which names only interfaces of this namespace.
    var asksNetworkManager: Bool { netns == nil }

    /// What NetworkManager knows about interfaces, if it answers within one second.
    func facts() -> [InterfaceFacts] {
        asksNetworkManager ? NetworkManager.shared.firstState()?.facts ?? [] : []
    }
}
