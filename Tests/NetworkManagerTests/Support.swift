// SPDX-License-Identifier: MIT
import Foundation

/// The object path of a device of the fake.
func path(_ number: Int) -> String { "/org/freedesktop/NetworkManager/Devices/\(number)" }

/// The numbers of bus threads and of descriptors of this process.
struct Usage: Equatable {
    let threads: Int
    let descriptors: Int

    init() throws {
        let files = FileManager.default
        threads = try files.contentsOfDirectory(atPath: "/proc/self/task").count {
            // A thread that has ended meanwhile has no name.
            let path = "/proc/self/task/\($0)/comm"
            return (try? String(contentsOfFile: path, encoding: .utf8)) == "reach-bus\n"
        }
        descriptors = try files.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
