// SPDX-License-Identifier: MIT

internal import CReach
internal import Foundation

/// What a target was made for.
enum Endpoint: Sendable {
    /// Whether there is a way out at all: the zero address.
    case defaultPath
    case address(reach_address)
    case pair(local: reach_address, remote: reach_address?)
    case name(String)
    /// A name that no resolver would take, such as a URL.
    ///
    /// SCNetworkReachability takes it for a name that turns out to have no address.
    case impossibleName(String)

    /// The address that begins at `pointer`; its family tells how long it is.
    static func read(_ pointer: UnsafePointer<sockaddr>) throws(StatusError) -> reach_address {
        let size = unsafe Int(socketAddressSize(of: pointer.pointee.sa_family))
        return unsafe try read(pointer, size: size)
    }

    static func read(
        _ pointer: UnsafePointer<sockaddr>, size: Int
    ) throws(StatusError) -> reach_address {
        var address = reach_address()
        guard unsafe reach_address_from_sockaddr(pointer, size, &address) == 0 else {
            throw .invalidArgument
        }
        return address
    }

    init(address: reach_address) {
        self = address.isZero ? .defaultPath : .address(address)
    }

    /// A pair of which at least one is given.
    ///
    /// The zero address counts as none.
    init(local: reach_address?, remote: reach_address?) throws(StatusError) {
        guard local != nil || remote != nil else { throw .invalidArgument }
        let given = (
            local: local.flatMap { $0.isZero ? nil : $0 },
            remote: remote.flatMap { $0.isZero ? nil : $0 }
        )
        switch given {
        case (nil, nil): self = .defaultPath
        case (nil, let remote?): self = .address(remote)
        // No packet from 127/8 leaves the host, so such a source cannot be meant.
        case (let local?, let remote?)
        where local.isLoopback4 && remote.family == UInt16(AF_INET) && !remote.isLoopback4:
            self = .address(remote)
        case (let local?, let remote): self = .pair(local: local, remote: remote)
        }
        let valid = unsafe withCValue { unsafe reach_target_validate($0) }
        guard valid == 0 else { throw .invalidArgument }
    }

    /// A name, which may be a numeric address.
    init(name: String) throws(StatusError) {
        guard !name.isEmpty else { throw .invalidArgument }
        var address = reach_address()
        if unsafe reach_address_parse(name, &address) == 0 {
            self.init(address: address)
            return
        }
        self = .name(name)
        let valid = unsafe withCValue { unsafe reach_target_validate($0) }
        if valid != 0 { self = .impossibleName(name) }
    }

    /// Whether it is given by a name, which has rules of its own for callbacks.
    var isName: Bool {
        switch self {
        case .name, .impossibleName: true
        case .defaultPath, .address, .pair: false
        }
    }

    /// The result of `body` for the C form, which is valid during the call only.
    ///
    /// Before its answer is final, a name stands for the default path.
    func withCValue(_ body: (UnsafePointer<reach_target>) -> CInt) -> CInt {
        var target = unsafe reach_target()
        switch self {
        case .defaultPath, .impossibleName:
            unsafe reach_target_init(&target, .REACH_TARGET_INTERNET)
        case .address(let address):
            unsafe reach_target_init(&target, .REACH_TARGET_ADDRESS)
            unsafe target.remote = address
        case .pair(let local, let remote):
            unsafe reach_target_init(&target, .REACH_TARGET_ADDRESS_PAIR)
            unsafe target.local = local
            unsafe target.remote = remote ?? reach_address()
        case .name(let name):
            unsafe reach_target_init(&target, .REACH_TARGET_NAME)
            return unsafe name.withCString { text in
                unsafe target.name = text
                return unsafe body(&target)
            }
        }
        return unsafe body(&target)
    }
}

extension reach_address {
    fileprivate var isZero: Bool {
        unsafe withUnsafeBytes(of: bytes) { unsafe $0.allSatisfy { $0 == 0 } }
    }

    /// In 127/8.
    fileprivate var isLoopback4: Bool {
        family == UInt16(AF_INET) && bytes.0 == 127
    }

    /// The numeric text.
    var text: String {
        var copy = self
        return unsafe withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: Int(REACH_ADDRESS_TEXT_SIZE)
        ) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            unsafe reach_address_format(&copy, start, buffer.count)
            return unsafe String(cString: start)
        }
    }
}
