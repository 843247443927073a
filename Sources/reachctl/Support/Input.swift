// SPDX-License-Identifier: MIT
import ArgumentParser
import NetworkReachability
import ReachLibc

/// A file named on the command line; "-" is standard input.
struct Input {
    /// Its name in messages.
    let name: String
    private let path: String

    init(_ path: String) {
        self.path = path
        name = path == "-" ? "standard input" : path
    }

    /// Its name in a sentence.
    var quoted: String { path == "-" ? name : "'\(path)'" }

    /// Reads the whole file, and fails if it has more than `limit` bytes.
    func read(limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open()
        defer {
            // Standard input stays open.
            if descriptor != STDIN_FILENO { close(descriptor) }
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe ReachLibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            let error = errno
            if count == 0 { return bytes }
            if count < 0 {
                if error == EINTR { continue }
                throw failure("read", error)
            }
            guard bytes.count + count <= limit else {
                throw Failure(
                    status: ExitCode(EX_DATAERR),
                    message: "\(quoted) is longer than \(limit) bytes; split it")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    private func open() throws(Failure) -> Int32 {
        guard path != "-" else { return STDIN_FILENO }
        let descriptor = unsafe ReachLibc.open(path, O_RDONLY | O_CLOEXEC)
        let error = errno
        guard descriptor >= 0 else { throw failure("open", error) }
        return descriptor
    }

    private func failure(_ verb: String, _ errno: Int32) -> Failure {
        Failure(
            status: ExitCode(EX_OSERR),
            message: "cannot \(verb) \(quoted): \(ReachabilityErrno(rawValue: errno)); "
                + "give a file that this user may read, or '-' for standard input")
    }
}
