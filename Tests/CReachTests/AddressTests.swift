// SPDX-License-Identifier: MIT
import CReach
import Glibc
import Testing

@Suite("Addresses") struct AddressTests {
    private func parse(_ text: String) -> (result: Int32, address: reach_address) {
        var address = reach_address()
        let result = unsafe reach_address_parse(text, &address)
        return (result, address)
    }

    private func format(_ address: reach_address, size: Int = Int(REACH_ADDRESS_TEXT_SIZE))
        -> Written
    {
        var address = address
        return unsafe Written(size: size) { unsafe reach_address_format(&address, $0, $1) }
    }

    @Test(
        "A numeric address is read and written in its canonical form",
        arguments: [
            ("192.0.2.1", "192.0.2.1"),
            ("127.1", "127.0.0.1"),
            ("1", "0.0.0.1"),
            ("0", "0.0.0.0"),
            ("0x7f.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("255.255.255.255", "255.255.255.255"),
            ("::", "::"),
            ("::1", "::1"),
            ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
            ("0:0:0:0:0:0:0:1", "::1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("fe80::1", "fe80::1"),
            ("fe80::1%7", "fe80::1%7"),
            ("fe80::1%4294967295", "fe80::1%4294967295"),
            ("ff02::fb%2", "ff02::fb%2"),
            (
                "fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295",
                "fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295"
            ),
        ])
    func reads(text: String, canonical: String) {
        let (result, address) = parse(text)
        #expect(result == 0)
        let written = format(address)
        #expect(written.text == canonical)
        #expect(written.length == canonical.utf8.count)
    }

    @Test("A scope may be the name of an interface")
    func readsInterfaceName() {
        let (result, address) = parse("fe80::1%lo")
        #expect(result == 0)
        let index = unsafe if_nametoindex("lo")
        #expect(address.scope_id == index)
    }

    @Test(
        "Text that is not an address is rejected with EINVAL",
        arguments: [
            "", " ", "localhost", "256.1.1.1", "1.2.3.4.5", "1.2.3.4 ", " 1.2.3.4",
            "1.2.3.4 x", "1.2.3.4\n", "1.", ".1", "08", "4294967296", "1.2.3.4%lo", "1.2.3.4:80",
            ":", ":::", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", "[::1]", "::1 ", "::12345", "::g",
            "fe80::1%", "%lo", "2001:db8::1%lo", "::1%lo", "ff0e::1%lo", "::%1",
            "::ffff:192.0.2.1%lo", "https://www.example.com/",
            String(repeating: "1:", count: 1000),
        ])
    func refuses(text: String) {
        #expect(parse(text).result == -EINVAL)
    }

    @Test(
        "A scope without an interface is rejected with ENODEV",
        arguments: [
            "nosuchdevice", "0", "-1", "4294967296", "99999999999999999999", "%", "lo ",
            String(repeating: "x", count: 5000),
        ])
    func refusesScope(scope: String) {
        #expect(parse("fe80::1%" + scope).result == -ENODEV)
    }

    @Test("On failure the address is untouched", arguments: ["x", "::x", "fe80::1%", "fe80::1%x "])
    func untouchedOnFailure(text: String) {
        var address = reach_address()
        address.family = 77
        #expect(unsafe reach_address_parse(text, &address) < 0)
        #expect(address.family == 77)
        #expect(unsafe reach_address_parse(nil, &address) == -EINVAL)
        #expect(address.family == 77)
    }

    @Test("An address that can be parsed is formatted so that it parses the same")
    func roundTrip() {
        var random = Seeded(2)
        let letters = Array("0123456789abcdefABCDEFx:.%")
        var read = 0
        for _ in 0..<200_000 {
            let count = Int.random(in: 0...12, using: &random)
            let text = String(
                (0..<count).map { _ in letters.randomElement(using: &random) ?? "0" })
            let first = parse(text)
            guard first.result == 0, let canonical = format(first.address).text else { continue }
            let second = parse(canonical)
            let same =
                second.result == 0 && second.address.family == first.address.family
                && second.address.scope_id == first.address.scope_id
                && format(second.address).text == canonical
            #expect(same, "\(text)")
            read += 1
        }
        #expect(read > 100)
    }

    @Test("A text is cut to fit its buffer, and its whole length is returned", arguments: 0...70)
    func textIsCut(size: Int) {
        let whole = "fe80:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295"
        let cut = format(parse(whole).address, size: size)
        #expect(cut.text == (size == 0 ? nil : String(whole.prefix(size - 1))))
        #expect(cut.length == whole.utf8.count)
        #expect(cut.contained)
    }

    @Test(
        "An address of an unknown family is formatted as empty text",
        arguments: [0, 1, 7, 65535] as [UInt16])
    func noAddress(family: UInt16) {
        var address = reach_address()
        address.family = family
        address.scope_id = 3
        #expect(format(address).text == "")
        #expect(format(address).length == 0)
    }
}

@Suite("Socket addresses") struct SocketAddressTests {
    /// Converts a sockaddr_in or sockaddr_in6 of `count` bytes.
    ///
    /// The heap block has exactly this size, so that a sanitizer sees a read past its end.
    private func take(family: Int32, count: Int, offset: Int = 0) -> (Int32, reach_address) {
        var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        bytes.overwrite(at: 0, with: [UInt8(family & 0xff), UInt8(family >> 8)])
        if family == AF_INET6 {
            bytes.overwrite(at: 8, with: [0xfe, 0x80])
        }
        var address = reach_address()
        address.family = 77
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count + offset, alignment: 8)
        defer { unsafe memory.deallocate() }
        for index in bytes.indices {
            unsafe memory[offset + index] = bytes[index]
        }
        let result = unsafe reach_address_from_sockaddr(
            socketAddress(memory.baseAddress, offset), count, &address)
        return (result, address)
    }

    private func socketAddress(_ base: UnsafeMutableRawPointer?, _ offset: Int)
        -> UnsafePointer<sockaddr>?
    {
        unsafe base.map {
            unsafe UnsafePointer(($0 + offset).assumingMemoryBound(to: sockaddr.self))
        }
    }

    @Test("An IPv4 address needs a whole sockaddr_in", arguments: 0...40)
    func ipv4(size: Int) {
        let (result, address) = take(family: AF_INET, count: size)
        #expect(result == (size >= 16 ? 0 : -EINVAL))
        #expect(address.family == (size >= 16 ? UInt16(AF_INET) : 77))
    }

    @Test("An IPv6 address needs a whole sockaddr_in6", arguments: 0...40)
    func ipv6(size: Int) {
        let (result, address) = take(family: AF_INET6, count: size)
        #expect(result == (size >= 28 ? 0 : -EINVAL))
        #expect(address.family == (size >= 28 ? UInt16(AF_INET6) : 77))
    }

    @Test("Every byte of the address is copied, even from an unaligned sockaddr", arguments: 0..<4)
    func content(offset: Int) {
        let (_, four) = take(family: AF_INET, count: 16, offset: offset)
        unsafe withUnsafeBytes(of: four.bytes) {
            #expect(unsafe Array($0) == [4, 5, 6, 7] + Array(repeating: 0, count: 12))
        }
        #expect(four.scope_id == 0)
        let (_, six) = take(family: AF_INET6, count: 28, offset: offset)
        unsafe withUnsafeBytes(of: six.bytes) {
            #expect(unsafe Array($0) == [0xfe, 0x80] + Array(10..<24))
        }
        #expect(six.scope_id == 0x1b1a_1918)
    }

    @Test("A scope the kernel ignores is dropped")
    func ignoredScope() {
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_scope_id = 7
        var address = reach_address()
        let result = unsafe withUnsafePointer(to: &six) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe reach_address_from_sockaddr($0, MemoryLayout<sockaddr_in6>.size, &address)
            }
        }
        #expect(result == 0)
        #expect(address.scope_id == 0)
    }

    @Test("Other families and a null pointer are rejected")
    func refuses() {
        var address = reach_address()
        #expect(take(family: AF_UNIX, count: 110).0 == -EAFNOSUPPORT)
        #expect(take(family: AF_UNSPEC, count: 16).0 == -EAFNOSUPPORT)
        #expect(take(family: 0xffff, count: 2).0 == -EAFNOSUPPORT)
        #expect(unsafe reach_address_from_sockaddr(nil, 128, &address) == -EINVAL)
    }
}

extension Array<UInt8> {
    /// Writes the part of `bytes` that fits into the array.
    fileprivate mutating func overwrite(at offset: Int, with bytes: [UInt8]) {
        for (index, byte) in bytes.enumerated() where offset + index < count {
            self[offset + index] = byte
        }
    }
}
