// SPDX-License-Identifier: MIT

/// Identifies one iteration over a sequence by its address, which no other object has while this one is
/// referenced.
final class StreamIdentity: Sendable {}
