// SPDX-License-Identifier: MIT

/// The class of an interface, determined from rtnetlink and sysfs, never from its name.
///
///     let target = ReachabilityTarget.internet.with(interfaceClass: .wifi, .wiredEthernet)
///     let snapshot = try NetworkReachabilityManager(target: target).currentSnapshot()
///     print(snapshot.interface?.interfaceClass ?? .other)
///
/// The raw values are the names that `reachctl` prints.
public enum NetworkInterfaceClass: String, Hashable, Sendable, CaseIterable, Codable {
    /// None of the others, for example a monitoring tap.
    case other
    /// The loopback interface.
    case loopback
    /// Wired Ethernet.
    case wiredEthernet
    /// IEEE 802.11.
    case wifi
    /// A modem: WWAN core, QMI, MBIM, or a USB modem.
    case cellular
    /// WireGuard, tun, IPsec, and other tunnels.
    case vpn
    /// PPP; the kernel does not report whether it is DSL or a modem.
    case ppp
    /// veth, dummy, tap, and bridges or bonds without a physical port.
    case virtual
}

extension NetworkInterfaceClass: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
