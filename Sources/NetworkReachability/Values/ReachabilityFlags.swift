// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// What is known of the way to a target, one bit a fact.
///
/// Names and values are those of `SCNetworkReachabilityFlags`. Values cost nothing to copy; all
/// members are pure and may be used from any thread.
public struct ReachabilityFlags: OptionSet, Hashable, Sendable, Codable {
    /// The bits, as `SCNetworkReachabilityFlags` has them.
    ///
    /// Unknown bits are kept.
    public let rawValue: UInt32

    /// Flags of these bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ flag: reach_flag) {
        self.init(rawValue: UInt32(flag.rawValue))
    }

    /// The way is transient: a modem, PPP, a tunnel or a VPN.
    public static let transientConnection = ReachabilityFlags(.REACH_FLAG_TRANSIENT_CONNECTION)

    /// A packet could leave for the target.
    public static let reachable = ReachabilityFlags(.REACH_FLAG_REACHABLE)

    /// … but a connection must be brought up first.
    public static let connectionRequired = ReachabilityFlags(.REACH_FLAG_CONNECTION_REQUIRED)

    /// Traffic to the target brings that connection up.
    public static let connectionOnTraffic = ReachabilityFlags(.REACH_FLAG_CONNECTION_ON_TRAFFIC)

    /// A person must act first: unlock a SIM, for example.
    public static let interventionRequired = ReachabilityFlags(.REACH_FLAG_INTERVENTION_REQUIRED)

    /// The connection comes up on demand of the programming interface.
    public static let connectionOnDemand = ReachabilityFlags(.REACH_FLAG_CONNECTION_ON_DEMAND)

    /// The target is an address of this host.
    public static let isLocalAddress = ReachabilityFlags(.REACH_FLAG_IS_LOCAL_ADDRESS)

    /// No gateway is between this host and the target.
    public static let isDirect = ReachabilityFlags(.REACH_FLAG_IS_DIRECT)

    /// The way leaves over a cellular interface.
    public static let isWWAN = ReachabilityFlags(.REACH_FLAG_IS_WWAN)

    /// Another name of ``connectionOnTraffic``, as `SCNetworkReachability.h` has it.
    public static let connectionAutomatic = connectionOnTraffic

    /// The status the flags stand for; see ``NetworkReachabilityStatus/init(flags:)``.
    public var status: NetworkReachabilityStatus {
        NetworkReachabilityStatus(flags: self)
    }

    /// The words `scutil -r` prints: `Reachable,Transient Connection`, or `Not Reachable` for no
    /// flag.
    ///
    /// Unknown bits follow as one hexadecimal number.
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

    /// Statuses of many flags at once, at the cost of the C loop.
    ///
    /// - Parameters:
    ///   - flags: The flags.
    ///   - statuses: Receives one raw value of ``NetworkReachabilityStatus`` each, as a byte.
    /// - Returns: How many were written: the smaller of the two counts.
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

    /// Statuses of many flags at once, at the cost of the C loop.
    ///
    /// - Parameters:
    ///   - flags: The flags; a buffer of `UInt32` can be rebound to them.
    ///   - statuses: Receives one raw value of ``NetworkReachabilityStatus`` each, as a byte. It must
    ///     not overlap `flags`.
    /// - Returns: How many were written: the smaller of the two counts.
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
