// SPDX-License-Identifier: MIT

/// Operations that change many routes at once, and the destinations of these routes.
extension World {
    /// A random address that the operations may or may not affect, as `ip` writes it.
    static func someAddress(_ random: inout SeededGenerator) -> String {
        let number = Int.random(in: 1...254, using: &random)
        let subnet = Int.random(in: 0...2, using: &random)
        let hexadecimal = String(Int.random(in: 1...0xffff, using: &random), radix: 16)
        return random.pick([
            "192.0.\(subnet).\(number)", "192.0.2.\(number)", "192.9.\(subnet).\(number)",
            "198.18.\(subnet).\(number)", "200.\(number).1.\(number)", "8.\(number).8.8",
            "10.9.\(subnet).\(number)", "10.8.0.\(number)",
            "\(number % 200 + 11).\(subnet + 1).\(number).1",
            "2001:db8:ffff::\(hexadecimal)", "2001:db8:eeee::\(hexadecimal)",
            "2001:db8:9:\(subnet + 1)::\(hexadecimal)", "2600::\(hexadecimal)",
            "2600:\(hexadecimal)::1", "2a00::\(hexadecimal)",
        ])
    }

    mutating func storm() -> String {
        let verb = random.pick(["add", "del"])
        let table = random.pick(["main", "100"])
        let lines = (0..<600).map {
            "route \(verb) 192.0.\($0 / 256).\($0 % 256) via 10.9.0.2 table \(table)"
        }
        lab.host.storm(lines)
        return "storm: \(verb) 600 routes in table \(table)"
    }

    /// Thousands of routes: to anywhere, to the networks of addresses, and to addresses themselves.
    mutating func flood(_ addresses: [String]) -> String {
        let verb = random.pick(["add", "add", "replace", "del"])
        let table = random.pick(["main", "main", "100", "default"])
        let lines = (0..<2000).map { number in
            let address = random.pick(addresses)
            let network = address.contains(":") ? "\(address)/64" : World.network(of: address)
            let prefix = random.pick([
                "11.\(number / 250).\(number % 250).0/24", "2001:db8:\(number)::/48", address,
                network,
            ])
            let way =
                prefix.contains(":")
                ? "via 2001:db8:9::2" : "via 10.9.\(random.pick([0, 1])).2"
            return "route \(verb) \(prefix) \(way) table \(table)"
        }
        for start in stride(from: 0, to: lines.count, by: 500) {
            lab.host.storm(lines[start..<start + 500])
        }
        return "flood: \(verb) 2000 routes in table \(table)"
    }

    /// The /24 network of an IPv4 address.
    private static func network(of address: String) -> String {
        address.prefix(through: address.lastIndex(of: ".") ?? address.startIndex) + "0/24"
    }
}
