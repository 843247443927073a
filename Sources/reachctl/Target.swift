// SPDX-License-Identifier: MIT
import CReach
import Glibc

/// Why a text is no target.
struct BadTarget: Error {
    let message: String
}

/// A target as it was given, and what it means.
struct Target {
    /// As it was given.
    let text: String
    private(set) var kind = reach_target_kind.REACH_TARGET_ADDRESS
    private(set) var remote = reach_address()
    private(set) var local = reach_address()
    private(set) var name = ""
    /// The interface of a scoped address ("%eth0"): kept as a name, since it may be of another
    /// namespace, and may come and go.
    private(set) var interface: String?

    /// The word for its kind in JSON.
    var kindName: String {
        switch kind {
        case .REACH_TARGET_ADDRESS: "address"
        case .REACH_TARGET_ADDRESS_PAIR: "addressPair"
        case .REACH_TARGET_INTERNET: "internet"
        case .REACH_TARGET_LOCAL_WIFI: "localWiFi"
        default: "name"
        }
    }

    init(_ text: String) throws(BadTarget) {
        self.text = text
        // The C library would take what stands before it.
        guard !text.utf8.contains(0) else {
            throw BadTarget(message: "'\(text)' has a NUL byte in it; leave it out")
        }
        switch text {
        case "internet":
            kind = .REACH_TARGET_INTERNET
        case "local-wifi":
            kind = .REACH_TARGET_LOCAL_WIFI
        case _ where text.contains("://"):
            try setHost(try Target.host(of: text))
        case _ where text.contains(","):
            try setPair()
        default:
            try setHost(text)
        }
    }

    private mutating func setHost(_ host: String) throws(BadTarget) {
        guard let address = try address(host) else {
            try Target.check(name: host, given: text)
            kind = .REACH_TARGET_NAME
            name = host
            return
        }
        remote = address
        if address.isAny {
            kind = .REACH_TARGET_INTERNET
        } else if address.text == "169.254.0.0" {
            kind = .REACH_TARGET_LOCAL_WIFI
        }
    }

    private mutating func setPair() throws(BadTarget) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, text != "," else {
            throw BadTarget(message: "'\(text)': a pair is LOCAL,REMOTE with one comma")
        }
        kind = .REACH_TARGET_ADDRESS_PAIR
        local = try pairAddress(parts[0])
        remote = try pairAddress(parts[1])
        guard local.family == 0 || remote.family == 0 || local.family == remote.family else {
            throw BadTarget(message: "'\(text)': both addresses must be of one family")
        }
    }

    private mutating func pairAddress(_ text: String) throws(BadTarget) -> reach_address {
        guard !text.isEmpty else { return reach_address() }
        guard let address = try address(text) else {
            throw BadTarget(
                message:
                    "'\(text)' in '\(self.text)' is no address; LOCAL,REMOTE takes two addresses")
        }
        return address
    }

    /// The address that `text` is, or nil.
    ///
    /// The interface of a scoped one goes to `interface`.
    private mutating func address(_ text: String) throws(BadTarget) -> reach_address? {
        guard let percent = text.firstIndex(of: "%") else { return Target.parse(text) }
        let scope = String(text[text.index(after: percent)...])
        if parseNumber(scope) != nil { return Target.parse(text) }
        guard let address = Target.parse(String(text[..<percent])) else { return nil }
        guard Target.isInterfaceName(scope) else {
            throw BadTarget(message: "'\(text)': '\(scope)' is no interface name")
        }
        guard interface == nil || interface == scope else {
            throw BadTarget(message: "'\(self.text)': the interfaces of the addresses differ")
        }
        interface = scope
        return address
    }

    private static func parse(_ text: String) -> reach_address? {
        var address = reach_address()
        let result = unsafe reach_address_parse(text, &address)
        return result == 0 ? address : nil
    }

    /// Whether the kernel would take `name` for an interface (dev_valid_name() in net/core/dev.c).
    static func isInterfaceName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count < Int(REACH_INTERFACE_NAME_SIZE) && name != "."
            && name != ".."
            && !name.utf8.contains { byte in
                byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: " ")
                    || (9...13).contains(byte) || byte == 0
            }
    }
}

extension Target {
    /// The host of a URL: what stands after "://" and a user, before a port and a path.
    private static func host(of url: String) throws(BadTarget) -> String {
        guard let marker = url.firstRange(of: "://") else { return url }
        var host = url[marker.upperBound...].prefix { !"/?#".contains($0) }
        if let user = host.lastIndex(of: "@") { host = host[user...].dropFirst() }
        let port: Substring
        if host.first == "[", let end = host.firstIndex(of: "]") {
            port = host[end...].dropFirst()
            host = host[..<end].dropFirst()
        } else {
            port = host.drop { $0 != ":" }
            host = host.prefix { $0 != ":" }
        }
        let isPort = port.isEmpty || (port.first == ":" && port.dropFirst().allSatisfy(\.isNumber))
        guard url.first?.isLetter == true, !host.isEmpty, isPort else {
            throw BadTarget(message: "'\(url)' is no URL with a host; give https://HOST/")
        }
        // RFC 6874: the percent sign of a zone is itself escaped in a URL.
        return String(host).replacing("%25", with: "%")
    }

    private static func check(name: String, given text: String) throws(BadTarget) {
        guard !name.isEmpty else {
            throw BadTarget(
                message:
                    "an empty target; give an address, a name, a URL, 'internet' or 'local-wifi'")
        }
        guard !name.contains(":") else {
            throw BadTarget(
                message: "'\(text)' is neither an address nor a name; leave out a port and brackets"
            )
        }
        guard !name.contains("/") else {
            throw BadTarget(
                message: "'\(text)' is no name; leave out the path, or give a URL with its scheme")
        }
        let result = unsafe name.withCString { pointer in
            var target = unsafe reach_target()
            unsafe reach_target_init(&target, .REACH_TARGET_NAME)
            unsafe target.name = unsafe pointer
            return unsafe reach_target_validate(&target)
        }
        if result == -ENAMETOOLONG {
            throw BadTarget(
                message: "'\(text)' is too long for a name: 253 characters, 63 between two dots")
        }
        guard result == 0 else {
            throw BadTarget(
                message: "'\(text)' is neither an address nor a name; "
                    + "a name has letters, digits, '-', '_' and '.' only")
        }
    }
}
