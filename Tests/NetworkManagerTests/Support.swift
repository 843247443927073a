// SPDX-License-Identifier: MIT
import SwiftTestSupport

/// The object path of a device of the fake.
func path(_ number: Int) -> String { "/org/freedesktop/NetworkManager/Devices/\(number)" }

/// The numbers of bus threads and of descriptors of this process.
struct Usage: Equatable {
    let threads = threadNames().count { $0 == "reach-bus" }
    let descriptors = descriptorCount()
}
