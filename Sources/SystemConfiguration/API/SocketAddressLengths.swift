// SPDX-License-Identifier: MIT

public import Foundation

// Socket addresses on Linux have no length member. Sources written for BSD can still set it, without effect.

/// 169.254.0.0 in host byte order, the address of the link-local network.
///
/// As a target it stands for local Wi-Fi.
public let IN_LINKLOCALNETNUM: UInt32 = 0xA9FE_0000

extension sockaddr {
    /// The size of the address, determined by its family.
    public var sa_len: UInt8 {
        get { socketAddressSize(of: sa_family) }
        set {}
    }

    /// The initializer that Apple's systems import; `sa_len` has no effect.
    public init(
        sa_len: UInt8, sa_family: sa_family_t,
        sa_data: (
            CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar,
            CChar, CChar
        )
    ) {
        self.init(sa_family: sa_family, sa_data: sa_data)
    }
}

extension sockaddr_in {
    /// The size of the struct.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set {}
    }

    /// The initializer that Apple's systems import; `sin_len` has no effect, and `sin_zero` is always 0.
    public init(
        sin_len: UInt8, sin_family: sa_family_t, sin_port: in_port_t, sin_addr: in_addr,
        sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar)
    ) {
        self.init()
        self.sin_family = sin_family
        self.sin_port = sin_port
        self.sin_addr = sin_addr
    }
}

extension sockaddr_in6 {
    /// The size of the struct.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in6>.size) }
        set {}
    }

    /// The initializer that Apple's systems import; `sin6_len` has no effect.
    public init(
        sin6_len: UInt8, sin6_family: sa_family_t, sin6_port: in_port_t, sin6_flowinfo: UInt32,
        sin6_addr: in6_addr, sin6_scope_id: UInt32
    ) {
        self.init(
            sin6_family: sin6_family, sin6_port: sin6_port, sin6_flowinfo: sin6_flowinfo,
            sin6_addr: sin6_addr, sin6_scope_id: sin6_scope_id)
    }
}

extension sockaddr_storage {
    /// The size of the address in the storage, determined by its family.
    public var ss_len: UInt8 {
        get { socketAddressSize(of: ss_family) }
        set {}
    }
}

func socketAddressSize(of family: sa_family_t) -> UInt8 {
    switch CInt(family) {
    case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
    case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
    default: UInt8(MemoryLayout<sockaddr>.size)
    }
}
