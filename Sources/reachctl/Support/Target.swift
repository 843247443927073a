// SPDX-License-Identifier: MIT
import NetworkReachability

/// A target as it was given, and what it means.
struct Target {
    /// As it was given.
    let text: String
    /// What is asked for.
    private(set) var meaning: ReachabilityTarget

    /// The word for its kind in JSON.
    var kindName: String {
        switch meaning.kind {
        case .address(let address):
            switch address.description {
            case "0.0.0.0", "::": "internet"
            case "169.254.0.0": "localWiFi"
            default: "address"
            }
        case .addressPair: "addressPair"
        case .internet: "internet"
        case .localWiFi: "localWiFi"
        case .domain: "name"
        }
    }

    /// Reads `text`, asked in the way of `options`; a failure names the `place` it stands at.
    init(_ text: String, options: TargetOptions, place: String) throws(Failure) {
        self.text = text
        var interfaces = Set([options.interface].compactMap(\.self))
        do {
            meaning = try Target.parse(text, &interfaces)
                .with(policy: options.policy).with(mark: options.mark)
                .with(uid: options.uid).with(namespace: options.common.namespace)
            if let interface = interfaces.first {
                meaning = try meaning.with(interface: interface)
            }
        } catch {
            throw .usage(place + error.description)
        }
        guard interfaces.count <= 1 else {
            throw .usage("\(place)'\(text)' would be asked through two interfaces; give one")
        }
    }

    private static func parse(
        _ text: String, _ interfaces: inout Set<String>
    ) throws(ReachabilityError) -> ReachabilityTarget {
        switch text {
        case "internet": return .internet
        case "local-wifi": return .localWiFi
        case _ where text.contains("://"): return try .domain(text)
        case _ where text.contains(","):
            let sides = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            var addresses: [NetworkAddress?] = []
            for side in sides.map({ unscoped(String($0), &interfaces) }) {
                addresses.append(side.isEmpty ? nil : try NetworkAddress(side))
            }
            return try .addressPair(local: addresses[0], remote: addresses[1])
        default: return try .domain(unscoped(text, &interfaces))
        }
    }

    /// An address without its "%interface", which goes to `interfaces`; any other text as it is.
    ///
    /// The interface is asked for by its name, since it may be of another namespace, and may come and
    /// go.
    private static func unscoped(_ text: String, _ interfaces: inout Set<String>) -> String {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parseNumber(parts[1]) == nil,
            (try? NetworkAddress(String(parts[0]))) != nil
        else { return text }
        interfaces.insert(String(parts[1]))
        return String(parts[0])
    }
}
