// SPDX-License-Identifier: MIT

@_implementationOnly import CReach

/// How far the resolution of a name is.
public enum NameResolution: String, Hashable, Sendable, Codable {
    /// The target is no name.
    case none
    /// No answer came yet; the flags follow the target's ``NameResolutionPolicy``.
    case pending
    /// The answer is final, until the network or the resolver's configuration changes.
    case done

    init(rawResolution: UInt32) {
        switch reach_resolution(rawValue: rawResolution) {
        case .REACH_RESOLUTION_PENDING: self = .pending
        case .REACH_RESOLUTION_DONE: self = .done
        default: self = .none
        }
    }
}
