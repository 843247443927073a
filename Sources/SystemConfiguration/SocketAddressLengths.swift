// SPDX-License-Identifier: MIT

public import Foundation

// Linux socket addresses have no length of their own: the family tells it. Sources written for BSD set
// it; here that does nothing.

extension sockaddr {
    /// The size of the address that begins here, by its family.
    public var sa_len: UInt8 {
        get { socketAddressSize(of: sa_family) }
        set {}
    }
}

extension sockaddr_in {
    /// The size of the struct.
    public var sin_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in>.size) }
        set {}
    }
}

extension sockaddr_in6 {
    /// The size of the struct.
    public var sin6_len: UInt8 {
        get { UInt8(MemoryLayout<sockaddr_in6>.size) }
        set {}
    }
}

extension sockaddr_storage {
    /// The size of the address in the storage, by its family.
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
