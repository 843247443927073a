// SPDX-License-Identifier: MIT
import NetworkReachability

/// How to print verdicts as text.
struct TextStyle {
    /// Whether the reason and the interface are printed too.
    let isVerbose: Bool
    let isColored: Bool

    static let plain = TextStyle(isVerbose: true, isColored: false)

    /// The words of the flags, or "Unknown": green if reachable, yellow if a connection is required or nothing is
    /// known, else red.
    func verdict(_ snapshot: ReachabilitySnapshot) -> String {
        let words = snapshot.words
        guard isColored else { return words }
        let color =
            snapshot.status.isReachable
            ? 32
            : snapshot.flags.contains(.connectionRequired) || snapshot.status == .unknown ? 33 : 31
        return "\u{1b}[\(color)m\(words)\u{1b}[0m"
    }
}
