// SPDX-License-Identifier: MIT

internal import Foundation
internal import NetworkReachability

/// What a target was made for.
struct Endpoint: Sendable {
    /// The name it was given by.
    private var name: String?
    /// What is asked where nothing is resolved: for a name the default path.
    private(set) var path: ReachabilityTarget
    /// The name as a target; nil for one that no resolver would take, such as a URL.
    ///
    /// SCNetworkReachability takes it for a name that turns out to have no address.
    private var resolved: ReachabilityTarget?
    /// Set by ``bypassResolver()``.
    private(set) var bypassesResolver = false

    /// The zero address stands for the default path, "is there a way out at all".
    init(address: NetworkAddress) {
        path = address.isZero ? .internet : .address(address)
    }

    /// A pair of which at least one is given.
    ///
    /// The zero address counts as none.
    init(local: NetworkAddress?, remote: NetworkAddress?) throws(StatusError) {
        guard local != nil || remote != nil else { throw .invalidArgument }
        let given = (
            local: local.flatMap { $0.isZero ? nil : $0 },
            remote: remote.flatMap { $0.isZero ? nil : $0 }
        )
        switch given {
        case (nil, nil): path = .internet
        case (nil, let remote?): path = .address(remote)
        // No packet from 127/8 leaves the host, so such a source cannot be meant.
        case (let local?, let remote?)
        where local.isLoopback4 && remote.family == .ipv4 && !remote.isLoopback4:
            path = .address(remote)
        case (let local?, let remote):
            path = try StatusError.argument { () throws(ReachabilityError) in
                try .addressPair(local: local, remote: remote)
            }
        }
    }

    /// A name, which may be a numeric address.
    init(name: String) throws(StatusError) {
        guard !name.isEmpty else { throw .invalidArgument }
        if let address = try? NetworkAddress(name) {
            self = Endpoint(address: address)
            return
        }
        self.name = name
        path = .internet
        resolved = try? .unparsed(name: name, policy: .optimistic)
    }

    /// Asks through an interface only.
    mutating func scope(to interfaceIndex: UInt32) {
        path = path.with(interfaceIndex: interfaceIndex)
        resolved = resolved?.with(interfaceIndex: interfaceIndex)
    }

    /// Leaves a name for ever at the default path's flags.
    mutating func bypassResolver() {
        bypassesResolver = true
        resolved = nil
    }

    /// Whether it is given by a name, which has rules of its own for callbacks.
    var isName: Bool {
        name != nil
    }

    /// What to watch; nil for a name of which nothing will ever be known.
    var watched: ReachabilityTarget? {
        resolved ?? (isName && !bypassesResolver ? nil : path)
    }

    /// The state of the moment, in the calling thread's network namespace.
    ///
    /// Never waits for a resolver: a name stands for the default path.
    func check() throws(StatusError) -> PathState {
        try StatusError.system { () throws(ReachabilityError) in
            PathState(try MonitorHandle.check(path))
        }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The form that a target's description has.
    var description: String {
        if let name { return "name = \(name)\(scope)" }
        switch path.kind {
        case .address(let address): return "address = \(address)\(scope)"
        case .addressPair(let local?, let remote?):
            return "local address = \(local), remote address = \(remote)\(scope)"
        case .addressPair(let local?, nil): return "local address = \(local), default path\(scope)"
        default: return "default path\(scope)"
        }
    }

    private var scope: String {
        path.interfaceIndex.map { ", if_index = \($0)" } ?? ""
    }
}

extension NetworkAddress {
    fileprivate var isZero: Bool {
        bytes.allSatisfy { $0 == 0 }
    }

    /// In 127/8.
    fileprivate var isLoopback4: Bool {
        family == .ipv4 && bytes[0] == 127
    }

    /// The address that begins at `pointer`; its family tells how long it is.
    static func read(_ pointer: UnsafePointer<sockaddr>) throws(StatusError) -> NetworkAddress {
        let size = unsafe Int(socketAddressSize(of: pointer.pointee.sa_family))
        return unsafe try read(UnsafeRawBufferPointer(start: pointer, count: size))
    }

    static func read(_ bytes: UnsafeRawBufferPointer) throws(StatusError) -> NetworkAddress {
        try StatusError.argument { () throws(ReachabilityError) in
            unsafe try NetworkAddress(sockaddr: bytes)
        }
    }
}
