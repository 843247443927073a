// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import CReach
#endif

extension ReachabilityFlags {
    /// The ``description``.
    package var words: String {
        #if canImport(CReach)
        unsafe text(capacity: Int(REACH_FLAGS_WORDS_SIZE)) { buffer, size in
            unsafe reach_flags_words(rawValue, buffer, size)
        }
        #else
        portableWords
        #endif
    }

    /// Nine letters in the order of Apple's sample, `WR tcCiDld`, with `-` for a clear bit.
    package var letters: String {
        let letters = Self.lettersInOrder.map { contains($0.flag) ? $0.letter : "-" }
        return String(letters.prefix(2) + " " + letters.dropFirst(2))
    }

    /// The flags with their letters, in the order of Apple's sample.
    package static let lettersInOrder: [(letter: Character, flag: ReachabilityFlags)] = [
        ("W", .isWWAN), ("R", .reachable), ("t", .transientConnection),
        ("c", .connectionRequired), ("C", .connectionOnTraffic), ("i", .interventionRequired),
        ("D", .connectionOnDemand), ("l", .isLocalAddress), ("d", .isDirect),
    ]

    #if compiler(>=6.3)
    /// Computes the statuses of many flags in one call of the C library.
    ///
    /// Needs Swift 6.3: 6.2 doesn't infer the lifetime of the span that the call changes.
    ///
    /// - Parameters:
    ///   - flags: The flags.
    ///   - statuses: Receives a raw value of ``NetworkReachabilityStatus`` per element of `flags`, as a byte.
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
    #endif

    /// Computes the statuses of many flags in one call of the C library.
    ///
    /// - Parameters:
    ///   - flags: The flags; a buffer of `UInt32` can be rebound to them.
    ///   - statuses: Receives a raw value of ``NetworkReachabilityStatus`` per element of `flags`, as a byte.
    ///     It must not overlap `flags`.
    /// - Returns: The number of statuses written: the smaller of the two counts.
    @discardableResult
    public static func statuses(
        of flags: UnsafeBufferPointer<ReachabilityFlags>,
        into statuses: UnsafeMutableBufferPointer<Int8>
    ) -> Int {
        let count = min(flags.count, statuses.count)
        #if canImport(CReach)
        unsafe flags.withMemoryRebound(to: UInt32.self) { words in
            unsafe reach_statuses_from_flags(words.baseAddress, statuses.baseAddress, count)
        }
        #else
        for index in 0..<count { unsafe statuses[index] = Int8(flags[index].status.rawValue) }
        #endif
        return count
    }
}

extension NetworkReachabilityStatus {
    /// Creates the status for `flags` by the rule of AFNetworkReachabilityManager; never ``unknown``.
    ///
    /// A target is reachable if the flags say so, and either no connection is required or it is established
    /// without the user.
    public init(flags: ReachabilityFlags) {
        #if canImport(CReach)
        let status = reach_status_from_flags(flags.rawValue)
        self = NetworkReachabilityStatus(rawValue: Int(status.rawValue)) ?? .unknown
        #else
        self.init(portably: flags)
        #endif
    }
}
