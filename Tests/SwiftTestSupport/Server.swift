// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import Synchronization

/// A test server that reads the head of a request, and behaves as the test wants.
package final class Server: Sendable {
    package enum Behavior: Sendable {
        /// Sends this text and closes.
        case answer(String)
        /// Sends nothing.
        case hang
        /// Sends this text and then nothing.
        case stall(String)
        /// Ends the connection with RST.
        case reset
        /// Sends a byte every 20 milliseconds.
        case drip(String)
        /// Sends a text and then another one without end.
        case flood(String, String)
    }

    /// The heads of the requests.
    package let requests = Recorder<String>()
    /// One value per client that disconnected while it was waiting.
    package let ended = Recorder<Bool>()
    package let port: UInt16
    private let listener: CInt
    private let behavior: Mutex<Behavior>
    private let isOver = Atomic(false)

    /// Listens in a namespace; with port 0, the kernel chooses one.
    package init(in namespace: Namespace, _ behavior: Behavior, port: UInt16 = 0) throws {
        self.behavior = Mutex(behavior)
        (listener, self.port) = try namespace.run {
            let listener = try SystemFailure.check(
                "socket", socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
            var yes: CInt = 1
            unsafe setsockopt(
                listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    let result = unsafe bind(listener, pointer, size)
                    unsafe getsockname(listener, pointer, &size)
                    return result
                }
            }
            try SystemFailure.check("bind", result == 0 ? 0 : -errno)
            try SystemFailure.check("listen", listen(listener, 64) == 0 ? 0 : -errno)
            return (listener, UInt16(bigEndian: address.sin6_port))
        }
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends the server, and closes connections that are waiting.
    package func end() {
        isOver.store(true, ordering: .releasing)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package func behave(_ new: Behavior) {
        behavior.withLock { $0 = new }
    }

    private func accept() {
        while !isOver.load(ordering: .acquiring) {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            Thread.detachNewThread { [self] in
                serve(connection)
                close(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: CInt) {
        let request = readRequest(of: connection)
        guard !request.isEmpty else { return }
        // A test that has seen the request may change the behavior for the next one.
        let behavior = behavior.withLock { $0 }
        requests.record(String(decoding: request, as: UTF8.self))
        respond(to: connection, as: behavior)
    }

    private func readRequest(of connection: CInt) -> [UInt8] {
        var request: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        // A TLS client sends no empty line.
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8), request.first != 0x16 {
            let count = unsafe read(connection, &chunk, chunk.count)
            guard count > 0 else { break }
            request += chunk[..<count]
        }
        return request
    }

    private func respond(to connection: CInt, as behavior: Behavior) {
        switch behavior {
        case .answer(let text): _ = send(text, to: connection)
        case .hang: waitForEnd(of: connection)
        case .stall(let text):
            if send(text, to: connection) { waitForEnd(of: connection) }
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
        case .drip(let text):
            for byte in text.utf8 where send([byte], to: connection) { usleep(20_000) }
        case .flood(let start, let more):
            guard send(start, to: connection) else { return }
            while !isOver.load(ordering: .acquiring), send(more, to: connection) {}
        }
    }

    private func waitForEnd(of connection: CInt) {
        while !isOver.load(ordering: .acquiring) {
            guard waitReadable(connection, until: monotonicSeconds() + 0.2) else { continue }
            var byte: UInt8 = 0
            guard unsafe read(connection, &byte, 1) > 0 else { return ended.record(true) }
        }
    }

    private func send(_ text: String, to connection: CInt) -> Bool {
        send(Array(text.utf8), to: connection)
    }

    private func send(_ bytes: [UInt8], to connection: CInt) -> Bool {
        unsafe Glibc.send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            == bytes.count
    }
}

/// An HTTP response.
package func http(_ status: Int, headers: [String] = [], body: String = "") -> String {
    let lines = ["HTTP/1.1 \(status) Test", "Content-Length: \(body.utf8.count)"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}
