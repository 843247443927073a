// SPDX-License-Identifier: MIT

internal import Foundation

extension NetworkAddress {
    /// Reads the address behind a C pointer without a size, as Apple's functions take it.
    ///
    /// The family determines how many bytes are read: callers pass a 16-byte `sockaddr` for IPv4.
    @unsafe
    init(socketAddress: UnsafeRawPointer) throws(ReachabilityError) {
        let family = unsafe Int32(socketAddress.loadUnaligned(as: sa_family_t.self))
        let size =
            switch family {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: MemoryLayout<sa_family_t>.size
            }
        try unsafe self.init(sockaddr: UnsafeRawBufferPointer(start: socketAddress, count: size))
    }
}
