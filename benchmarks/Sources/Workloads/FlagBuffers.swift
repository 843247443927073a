// SPDX-License-Identifier: MIT
import CReach
import CWorkloads
import NetworkReachability

/// Flags in no order that a branch predictor could learn, and room for their statuses.
public final class FlagBuffers {
    /// Number of entries.
    public let count: Int
    private let flags: UnsafeMutableBufferPointer<UInt32>
    private let statuses: UnsafeMutableBufferPointer<Int8>

    /// Allocates `count` entries.
    public init(count: Int) {
        self.count = count
        unsafe flags = .allocate(capacity: count)
        unsafe statuses = .allocate(capacity: count)
        unsafe statuses.initialize(repeating: 0)
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        for index in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            unsafe flags.initializeElement(
                at: index, to: UInt32(truncatingIfNeeded: state >> 40) & REACH_FLAGS_ALL)
        }
    }

    deinit {
        unsafe flags.deallocate()
        unsafe statuses.deallocate()
    }

    /// The fastest possible pass: reads and writes memory, and decides nothing.
    public func pass() {
        unsafe pass_read4_write1(flags.baseAddress, statuses.baseAddress, count)
    }

    /// The C function.
    public func decodeByC() {
        unsafe reach_statuses_from_flags(flags.baseAddress, statuses.baseAddress, count)
    }

    /// The Swift function on top of it.
    public func decodeBySwift() {
        unsafe flags.withMemoryRebound(to: ReachabilityFlags.self) { flags in
            _ = unsafe ReachabilityFlags.statuses(of: UnsafeBufferPointer(flags), into: statuses)
        }
    }

    /// Whether the statuses equal those of the single form.
    public func isRight() -> Bool {
        for index in 0..<count {
            let status = unsafe Int8(reach_status_from_flags(flags[index]).rawValue)
            guard unsafe statuses[index] == status else { return false }
        }
        return true
    }
}
