// SPDX-License-Identifier: MIT

import NetworkReachability

/// One line per value, the same with and without the C core.
func printValues() {
    let bits: [UInt32] = [0, 1, 2, 3, 4, 5, 16, 17, 18, 31]
    for number in 0..<1 << UInt32(bits.count) {
        let set = bits.indices.filter { number & 1 << $0 != 0 }.map { UInt32(1) << bits[$0] }
        let flags = ReachabilityFlags(rawValue: set.reduce(0, |))
        print(flags.rawValue, flags, flags.status, statuses(of: flags))
    }
    for text in [
        "192.0.2.1", "127.1", "0x7f.1", "1.2.3.4 x", "1.2.3.256", "", "a", "::", "::1",
        "2001:db8::1", "2001:DB8:0:0:1:0:0:1", "::ffff:192.0.2.1", "::192.0.2.1", "1::2::3",
        "fe80::1", "fe80::1%7", "fe80::1%lo", "fe80::1%none", "fe80::1%0", "fe80::1%4294967296",
        "fe80::1%", "fe80::1%interface-too-long", "2001:db8::1%1", "ff02::1%1", "ff05::1%1",
        "ff11::1%1", "192.0.2.1%1", "192.0.2.1\0", "::1\0", "[::1]",
    ] {
        do throws(ReachabilityError) {
            let address = try NetworkAddress(text)
            print(address, address.family, address.scopeID, address.bytes)
        } catch {
            print(error.code, error)
        }
    }
    let name: [UInt8] = [2, 0, 0, 80, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    let global: [UInt8] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    for address in [global, [0xfe, 0x80] + global.dropFirst(2), [0xff, 2] + global.dropFirst(2)] {
        printSocketAddress([10, 0, 0, 80, 0, 0, 0, 0] + address + [7, 0, 0, 0])
    }
    for size in 0...name.count { printSocketAddress(Array(name[..<size])) }
    printSocketAddress([10, 0] + name)
    printSocketAddress([1, 0] + name)
}

private func statuses(of flags: ReachabilityFlags) -> [Int8] {
    var statuses: [Int8] = [9, 9]
    [flags].withUnsafeBufferPointer { source in
        statuses.withUnsafeMutableBufferPointer { destination in
            _ = ReachabilityFlags.statuses(of: source, into: destination)
        }
    }
    return statuses
}

private func printSocketAddress(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
        do throws(ReachabilityError) {
            let address = try NetworkAddress(sockaddr: bytes)
            print(address, address.family, address.scopeID)
        } catch {
            print(error.code, error)
        }
    }
}
