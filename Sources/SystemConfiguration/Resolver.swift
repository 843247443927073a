// SPDX-License-Identifier: MIT

internal import CReach
internal import Synchronization

/// What looks names up in place of `getaddrinfo()`.
///
/// Tests put their own in place.
///
/// Targets share a watcher only if they have the same one, or none.
final class Resolver: Sendable {
    private let lookUp: @Sendable (_ name: String) -> [String]

    // A worker thread may call it after its monitor was closed, and nobody learns when the last one has.
    private static let immortal = Mutex<[Resolver]>([])

    /// - Parameter lookUp: Numeric addresses of a name. Called on worker threads; may block.
    init(_ lookUp: @escaping @Sendable (_ name: String) -> [String]) {
        self.lookUp = lookUp
        Self.immortal.withLock { $0.append(self) }
    }

    func configure(_ options: inout reach_monitor_options) {
        unsafe options.resolve_context = Unmanaged.passUnretained(self).toOpaque()
        unsafe options.resolve = { context, name, addresses, capacity in
            guard let context = unsafe context, let name = unsafe name,
                let addresses = unsafe addresses
            else { return 0 }
            let resolver = unsafe Unmanaged<Resolver>.fromOpaque(context).takeUnretainedValue()
            let found = unsafe resolver.lookUp(String(cString: name)).prefix(capacity)
            for (index, text) in found.enumerated() {
                let result = unsafe reach_address_parse(text, addresses + index)
                guard result == 0 else { return result }
            }
            return CInt(found.count)
        }
    }
}
