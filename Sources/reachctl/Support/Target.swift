// SPDX-License-Identifier: MIT
import NetworkReachability

/// A target given on the command line.
struct Target {
    /// The argument.
    let text: String
    /// The parsed argument.
    private(set) var meaning: ReachabilityTarget

    /// The name of the kind in JSON.
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

    /// Parses `text` and applies `options`; failures start with `place`, such as a file and line.
    init(_ text: String, options: TargetOptions, place: String = "") throws(Failure) {
        self.text = text
        var interfaces = Set([options.interface].compactMap(\.self))
        if let family = options.family, ["::": .ipv4, "0.0.0.0": .ipv6][text] == family {
            let (own, wanted, option) =
                family == .ipv4 ? ("IPv6", "IPv4", "-4") : ("IPv4", "IPv6", "-6")
            throw .usage(
                "\(place)'\(text)' is \(own), but \(option) asks for \(wanted); give 'internet' instead"
            )
        }
        do {
            let target = try Target.parse(text, &interfaces).with(family: options.family)
                .with(policy: options.policy).with(mark: options.mark)
                .with(uid: options.uid).with(namespace: options.common.namespace)
            meaning =
                try interfaces.first.map { interface throws(ReachabilityError) in
                    try target.with(interface: interface)
                } ?? target
        } catch {
            throw .usage(place + error.description)
        }
        guard interfaces.count <= 1 else {
            let names = interfaces.sorted().map { "'\($0)'" }.joined(separator: " and ")
            throw .usage("\(place)'\(text)' has two interfaces, \(names); give one")
        }
    }

    /// The same target, by routes through one interface only.
    func over(_ interface: NetworkInterface) -> Target {
        var target = self
        target.meaning = meaning.with(interfaceIndex: interface.index)
        return target
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

    /// Removes "%interface" from an address and adds it to `interfaces`; other text is unchanged.
    ///
    /// The interface is looked up by name later, since it may be in another namespace, and may be removed
    /// and created again.
    private static func unscoped(_ text: String, _ interfaces: inout Set<String>) -> String {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parseNumber(parts[1]) == nil,
            (try? NetworkAddress(String(parts[0]))) != nil
        else { return text }
        interfaces.insert(String(parts[1]))
        return String(parts[0])
    }
}
