// SPDX-License-Identifier: MIT

internal import CReach

/// The class of an interface, determined from rtnetlink and sysfs and never from its name.
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
    /// A modem: WWAN core, QMI, MBIM, a USB modem.
    case cellular
    /// WireGuard, tun, IPsec and other tunnels.
    case vpn
    /// PPP; the kernel does not report whether it is DSL or a modem.
    case ppp
    /// veth, dummy, tap, and bridges or bonds without a physical port.
    case virtual

    init(rawClass: UInt32) {
        switch reach_interface_class(rawValue: rawClass) {
        case .REACH_INTERFACE_LOOPBACK: self = .loopback
        case .REACH_INTERFACE_WIRED_ETHERNET: self = .wiredEthernet
        case .REACH_INTERFACE_WIFI: self = .wifi
        case .REACH_INTERFACE_CELLULAR: self = .cellular
        case .REACH_INTERFACE_VPN: self = .vpn
        case .REACH_INTERFACE_PPP: self = .ppp
        case .REACH_INTERFACE_VIRTUAL: self = .virtual
        default: self = .other
        }
    }
}

extension NetworkInterfaceClass {
    var cValue: reach_interface_class {
        switch self {
        case .other: .REACH_INTERFACE_OTHER
        case .loopback: .REACH_INTERFACE_LOOPBACK
        case .wiredEthernet: .REACH_INTERFACE_WIRED_ETHERNET
        case .wifi: .REACH_INTERFACE_WIFI
        case .cellular: .REACH_INTERFACE_CELLULAR
        case .vpn: .REACH_INTERFACE_VPN
        case .ppp: .REACH_INTERFACE_PPP
        case .virtual: .REACH_INTERFACE_VIRTUAL
        }
    }
}

extension NetworkInterfaceClass: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
