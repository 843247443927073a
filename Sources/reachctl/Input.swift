// SPDX-License-Identifier: MIT
import ArgumentParser
import Glibc

/// A descriptor that is closed with its owner.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Why a file cannot be opened.
    struct OpenError: Error {
        let errno: Int32
    }

    /// Opens `path` for reading.
    init(reading path: String) throws(OpenError) {
        number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        let error = errno
        guard number >= 0 else { throw OpenError(errno: error) }
    }

    deinit {
        // Standard input is the process's.
        if number != STDIN_FILENO { close(number) }
    }

    /// Standard input.
    init() {
        number = STDIN_FILENO
    }
}

/// A file given on the command line: "-" is standard input.
struct Input {
    /// Its name in messages.
    let name: String
    private let path: String

    init(_ path: String) {
        self.path = path
        name = path == "-" ? "standard input" : path
    }

    /// All bytes of the file, which may have `limit` at most.
    func read(limit: Int) throws(Failure) -> [UInt8] {
        let descriptor = try open()
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor.number, buffer.baseAddress, buffer.count)
            }
            let error = errno
            if count == 0 { return bytes }
            if count < 0 {
                if error == EINTR { continue }
                throw .system("cannot read \(name)", error)
            }
            guard bytes.count + count <= limit else {
                throw Failure(
                    status: ExitCode(EX_DATAERR),
                    message: "\(name) is longer than \(limit) bytes; split it")
            }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    private func open() throws(Failure) -> Descriptor {
        guard path != "-" else { return Descriptor() }
        do {
            return try Descriptor(reading: path)
        } catch {
            throw .system("cannot open '\(path)'", error.errno)
        }
    }
}
