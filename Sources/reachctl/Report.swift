// SPDX-License-Identifier: MIT
import CReach

extension reach_status {
    /// The status's name in JSON.
    var name: String {
        switch self {
        case .REACH_STATUS_NOT_REACHABLE: "notReachable"
        case .REACH_STATUS_REACHABLE_VIA_WWAN: "reachableViaWWAN"
        case .REACH_STATUS_REACHABLE_VIA_WIFI: "reachableViaWiFi"
        default: "unknown"
        }
    }
}

/// A flags word and its text forms.
struct FlagsReport {
    let flags: UInt32

    /// What `scutil -r` prints.
    var words: String {
        unsafe String(capacity: Int(REACH_FLAGS_WORDS_SIZE)) { buffer, size in
            unsafe reach_flags_words(flags, buffer, size)
        }
    }

    /// "WR tcCiDld", '-' for a clear bit.
    var letters: String {
        unsafe String(capacity: Int(REACH_FLAGS_LETTERS_SIZE)) { buffer, size in
            unsafe reach_flags_letters(flags, buffer, size)
        }
    }

    var status: reach_status { reach_status_from_flags(flags) }

    func add(to object: inout JSONObject, status: reach_status? = nil) {
        object.set("flags", flags)
        object.set("words", words)
        object.set("letters", letters)
        object.set("status", (status ?? self.status).name)
    }
}

/// One line about one target.
struct Report {
    let target: Target
    let state: reach_state

    private var flags: FlagsReport { FlagsReport(flags: state.flags) }

    /// What `scutil -r` prints; `isLabelled` puts the target and a tab before it.
    func text(isLabelled: Bool) -> String {
        isLabelled ? "\(target.text.printable)\t\(flags.words)" : flags.words
    }

    func json(time: String? = nil) -> String {
        var object = JSONObject()
        object.setIfPresent("time", time)
        object.set("target", target.text)
        object.set("kind", target.kindName)
        flags.add(to: &object, status: reach_status(rawValue: state.status))
        object.set("interface", interface)
        object.set("source", state.source.text)
        object.set("gateway", state.gateway.text)
        object.set("addresses", addresses)
        object.set("reason", reason)
        return object.line
    }

    private var interface: JSONObject? {
        guard state.interface_index != 0 else { return nil }
        var object = JSONObject()
        object.set("index", state.interface_index)
        object.set("name", String(characters: state.interface_name))
        object.set("class", className(state.interface_class))
        return object
    }

    private var addresses: [String] {
        unsafe withUnsafeBytes(of: state.addresses) { bytes in
            let all = unsafe bytes.bindMemory(to: reach_address.self)
            return unsafe all.prefix(Int(state.address_count)).compactMap(\.text)
        }
    }

    private var reason: String? {
        guard state.reason != reach_reason.REACH_REASON_NONE.rawValue else { return nil }
        let name = reach_reason(rawValue: state.reason).flatMap { reason in
            unsafe reach_reason_name(reason).map { unsafe String(cString: $0) }
        }
        return name ?? String(state.reason)
    }
}

/// The tool's word for an interface class.
func className(_ number: UInt32) -> String {
    guard let value = reach_interface_class(rawValue: number),
        let name = unsafe reach_interface_class_name(value)
    else { return "other" }
    return unsafe String(cString: name)
}
