// SPDX-License-Identifier: MIT

internal import CReach

/// The reachability of a target, as a set of bits.
///
///     let flags = manager.flags
///     if flags.contains(.reachable), !flags.contains(.connectionRequired) {
///         print(flags.words)  // Reachable,Directly Reachable Address
///     }
///
/// Names and values are those of `SCNetworkReachabilityFlags`.
public struct ReachabilityFlags: OptionSet, Hashable, Sendable, Codable {
    /// The bits of `SCNetworkReachabilityFlags`.
    ///
    /// Bits without a name are kept.
    public let rawValue: UInt32

    /// Creates flags from their bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ flag: reach_flag) {
        self.init(rawValue: UInt32(flag.rawValue))
    }

    /// The target is reached over a transient connection: a modem, PPP, a tunnel or a VPN.
    public static let transientConnection = ReachabilityFlags(.REACH_FLAG_TRANSIENT_CONNECTION)

    /// A packet can be sent to the target, if need be after a connection is established.
    public static let reachable = ReachabilityFlags(.REACH_FLAG_REACHABLE)

    /// A connection must be established first.
    public static let connectionRequired = ReachabilityFlags(.REACH_FLAG_CONNECTION_REQUIRED)

    /// Traffic to the target establishes that connection.
    public static let connectionOnTraffic = ReachabilityFlags(.REACH_FLAG_CONNECTION_ON_TRAFFIC)

    /// The user must act first, for example unlock a SIM.
    public static let interventionRequired = ReachabilityFlags(.REACH_FLAG_INTERVENTION_REQUIRED)

    /// The connection is established on demand by the CFSocketStream interface; never set on Linux.
    public static let connectionOnDemand = ReachabilityFlags(.REACH_FLAG_CONNECTION_ON_DEMAND)

    /// The target is an address of this host.
    public static let isLocalAddress = ReachabilityFlags(.REACH_FLAG_IS_LOCAL_ADDRESS)

    /// The target is reached without a gateway.
    public static let isDirect = ReachabilityFlags(.REACH_FLAG_IS_DIRECT)

    /// The target is reached over a cellular interface.
    public static let isWWAN = ReachabilityFlags(.REACH_FLAG_IS_WWAN)

    /// Another name of ``connectionOnTraffic``, from `SCNetworkReachability.h`.
    public static let connectionAutomatic = connectionOnTraffic

    /// The status for the flags; see ``NetworkReachabilityStatus/init(flags:)``.
    public var status: NetworkReachabilityStatus {
        NetworkReachabilityStatus(flags: self)
    }

    /// The words of `scutil -r`, such as `Reachable,Transient Connection`; `Not Reachable` if no flag is
    /// set.
    ///
    /// Bits without a name follow as one hexadecimal number.
    public var words: String {
        unsafe text(capacity: Int(REACH_FLAGS_WORDS_SIZE)) { buffer, size in
            unsafe reach_flags_words(rawValue, buffer, size)
        }
    }

    /// Nine letters in the order of Apple's sample, `WR tcCiDld`, with `-` for a clear bit.
    public var letters: String {
        unsafe text(capacity: Int(REACH_FLAGS_LETTERS_SIZE)) { buffer, size in
            unsafe reach_flags_letters(rawValue, buffer, size)
        }
    }

    /// Nine letters in the order of the common wrappers, `WR ctiCDld`, with `-` for a clear bit.
    public var wrapperLetters: String {
        unsafe text(capacity: Int(REACH_FLAGS_LETTERS_SIZE)) { buffer, size in
            unsafe reach_flags_letters_wrappers(rawValue, buffer, size)
        }
    }

    /// Computes the statuses of many flags in one call of the C library.
    ///
    /// - Parameters:
    ///   - flags: The flags.
    ///   - statuses: Receives one raw value of ``NetworkReachabilityStatus`` each, as a byte.
    /// - Returns: The number of statuses written: the smaller of the two counts.
    @discardableResult
    public static func statuses(
        of flags: Span<ReachabilityFlags>, into statuses: inout MutableSpan<Int8>
    ) -> Int {
        unsafe flags.withUnsafeBufferPointer { source in
            unsafe statuses.withUnsafeMutableBufferPointer { destination in
                unsafe Self.statuses(of: source, into: destination)
            }
        }
    }

    /// Computes the statuses of many flags in one call of the C library.
    ///
    /// - Parameters:
    ///   - flags: The flags; a buffer of `UInt32` can be rebound to them.
    ///   - statuses: Receives one raw value of ``NetworkReachabilityStatus`` each, as a byte. It must
    ///     not overlap `flags`.
    /// - Returns: The number of statuses written: the smaller of the two counts.
    @discardableResult
    public static func statuses(
        of flags: UnsafeBufferPointer<ReachabilityFlags>,
        into statuses: UnsafeMutableBufferPointer<Int8>
    ) -> Int {
        let count = min(flags.count, statuses.count)
        unsafe flags.withMemoryRebound(to: UInt32.self) { words in
            unsafe reach_statuses_from_flags(words.baseAddress, statuses.baseAddress, count)
        }
        return count
    }
}

extension ReachabilityFlags: CustomStringConvertible {
    /// The same as ``words``.
    public var description: String { words }
}
