// SPDX-License-Identifier: MIT

/// Identifies a subscriber by its address, which no other object has while this one is referenced.
package final class SubscriberIdentity: Sendable {
    package init() {}
}
