// SPDX-License-Identifier: MIT
import CellularRadio
import NetworkReachability
import ReachabilityConnectivity
import SystemBus

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A client of services on the system bus, driven by the tool's own loop.
struct Radio: ~Copyable {
    private let client: BusClient
    private let services: BusServices
    /// The state of ModemManager at the last change.
    private(set) var state: CellularRadioState?
    /// The state of NetworkManager at the last change.
    private(set) var network: NetworkManagerState?

    init(_ services: BusServices = .modemManager) throws(Failure) {
        do {
            client = try BusClient()
        } catch {
            throw .system("the system bus", error.rawValue)
        }
        self.services = services
        client.watch(services)
    }

    /// What to poll, and after how many milliseconds ``hasChanged()`` is due; nil for any time.
    var polled: (descriptor: pollfd, milliseconds: Int64?) {
        let (descriptor, events) = client.polled
        let timeout = client.timeout
        return (
            pollfd(fd: descriptor, events: events, revents: 0), timeout < 0 ? nil : Int64(timeout)
        )
    }

    /// Reads what has arrived; whether a state is another one than before.
    mutating func hasChanged() -> Bool {
        let changed = client.dispatch()
        var hasChanged = false
        if changed.contains(.modemManager) {
            let new = CellularRadioState(client.modemManager)
            if new.availability != .starting, new != state {
                state = new
                hasChanged = true
            }
        }
        if changed.contains(.networkManager) {
            let new = NetworkManagerState(client.networkManager)
            if new.availability != .starting, new != network {
                network = new
                hasChanged = true
            }
        }
        return hasChanged
    }

    /// The first states that are known; nil for one that is not after so many milliseconds.
    consuming func firstStates(
        within milliseconds: Int64
    ) throws(Failure) -> (radio: CellularRadioState?, network: NetworkManagerState?) {
        let waiter = Waiter()
        let end = monotonicMilliseconds() + milliseconds
        while !hasAll {
            if hasChanged() { continue }
            let rest = end - monotonicMilliseconds()
            guard rest > 0 else { break }
            var descriptors = [polled.descriptor]
            _ = try waiter.wait(
                for: &descriptors, milliseconds: min(rest, polled.milliseconds ?? rest))
        }
        return (state, network)
    }

    private var hasAll: Bool {
        !(services.contains(.modemManager) && state == nil)
            && !(services.contains(.networkManager) && network == nil)
    }
}

extension CellularModem {
    /// Technology and generation, for example "LTE (4G)"; without one the state, and what it's due to.
    var text: String {
        if let technology { return "\(technology) (\(technology.generation))" }
        if let failedReason { return "\(state): \(failedReason)" }
        if isLocked { return "\(state): \(lock)" }
        return powerState == .low ? "\(state), low power" : "\(state)"
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
        object.set("failedReason", failedReason?.description)
        object.set("power", powerState == .unknown ? nil : powerState.description)
        object.set("lock", lock == .unknown ? nil : lock.description)
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
        var object = JSONObject(event: "radio", time: time)
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

extension NetworkManagerDevice {
    /// The levels of both families, as one if they are equal, for example "full (IPv4), none (IPv6)".
    var connectivityText: String {
        if ipv4Connectivity == ipv6Connectivity { return "\(ipv4Connectivity)" }
        return [(ipv4Connectivity, "IPv4"), (ipv6Connectivity, "IPv6")]
            .filter { $0.0 != .unknown }.map { "\($0.0) (\($0.1))" }.joined(separator: ", ")
    }

    /// The member `connectivity` that `reachctl interfaces` documents; nil if neither is known.
    var connectivityJSON: JSONObject? {
        guard connectivity != .unknown else { return nil }
        var object = JSONObject()
        object.set("ipv4", ipv4Connectivity == .unknown ? nil : ipv4Connectivity.description)
        object.set("ipv6", ipv6Connectivity == .unknown ? nil : ipv6Connectivity.description)
        return object
    }
}
