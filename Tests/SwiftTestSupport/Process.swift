// SPDX-License-Identifier: MIT
package import Foundation
import NetworkReachability

/// The names of this process's threads.
package func threadNames() -> [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.compactMap { task in
        try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
    }
}

/// The number of this process's descriptors.
package func descriptorCount() -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count
}

/// Sets the limit of the number of descriptors, and returns the previous one.
@discardableResult
package func limitDescriptors(to most: rlim_t) -> rlim_t {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    precondition(unsafe getrlimit(resource, &limit) == 0)
    let before = limit.rlim_cur
    limit.rlim_cur = most
    precondition(unsafe setrlimit(resource, &limit) == 0)
    return before
}

/// The path of a built program.
package func program(_ name: String) -> String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent(name).path
}

/// A file of the repository.
package func repositoryFile(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).appendingPathComponent("../../../\(path)").standardizedFileURL
}

/// The text of a file of the repository.
package func repositoryText(_ path: String) throws -> String {
    try String(contentsOf: repositoryFile(path), encoding: .utf8)
}

/// A folder that is removed with its last reference.
package final class Folder: Sendable {
    package let url: URL

    package init(_ name: String) throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(name)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Replaces a file at once, so that no reader sees half of it.
    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: file(name), options: .atomic)
    }
}

extension Namespace {
    /// Runs `body` in a child of fork(), whose main thread is in the namespace, and checks that it throws no error.
    package func runInChild(_ body: () throws -> Void) {
        // libdispatch has no threads in a child. The child's loop notices that only if the parent
        // has a loop, which this call creates.
        MonitorLoop.perform { [] }
        let child = fork(atRest: true) {
            do {
                try enter()
                try body()
                return 0
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                return 1
            }
        }
        precondition(wait(for: child) == 0)
    }
}

/// Forks a child in which three threads run `body` at the same time, and checks that all end.
///
/// The standard library's `Mutex` would trap there.
package func runInThreadsOfChild(_ body: @escaping @Sendable () -> Void) {
    let child = fork(atRest: true) {
        let isDone = DispatchSemaphore(value: 0)
        for _ in 0..<3 {
            Thread.detachNewThread {
                for _ in 0..<200_000 { body() }
                isDone.signal()
            }
        }
        let end = DispatchTime.now() + 300
        return (0..<3).allSatisfy { _ in isDone.wait(timeout: end) == .success } ? 0 : 1
    }
    precondition(wait(for: child) == 0)
}
