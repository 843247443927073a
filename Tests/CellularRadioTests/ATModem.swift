// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport

/// A modem that speaks AT commands (3GPP TS 27.007) on an abstract socket, where ModemManager connects as
/// to a serial port.
final class ATModem: Sendable {
    /// The port's name for ModemManager, which is the socket's name including `abstract:`.
    let port: String
    private let socket: CInt
    private let state = Lock(State())

    private struct State {
        /// `<AcT>`: 0 GSM, 2 UMTS, 6 HSPA, 7 LTE.
        var technology = 7
        var connection: CInt = -1
    }

    init() throws {
        port = "abstract:radio-\(UUID().uuidString.prefix(8))"
        socket = try listen(at: [0] + Array(port.utf8))
        Thread.detachNewThread { [self] in accept() }
    }

    /// Ends its threads.
    func end() {
        shutdown(socket, CInt(SHUT_RDWR))
    }

    /// Announces that the modem is registered with another technology.
    func change(to technology: Int) {
        let connection = state.withLock { state in
            state.technology = technology
            return state.connection
        }
        for word in ["CEREG", "CGREG"] {
            Self.send("\r\n+\(word): 1,\"0001\",\"00000001\",\(technology)\r\n", connection)
        }
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(socket, nil, nil)
            guard connection >= 0 else {
                close(socket)
                return
            }
            state.withLock { $0.connection = connection }
            Thread.detachNewThread { [self] in serve(connection) }
        }
    }

    private func serve(_ connection: CInt) {
        var command = ""
        var byte: UInt8 = 0
        while unsafe read(connection, &byte, 1) == 1 {
            guard byte == UInt8(ascii: "\r") else {
                if byte > UInt8(ascii: " ") { command.append(Character(Unicode.Scalar(byte))) }
                continue
            }
            if !command.isEmpty {
                let text = answer(command.uppercased())
                Self.send((text.map { "\r\n\($0)\r\n" } ?? "") + "\r\nOK\r\n", connection)
            }
            command = ""
        }
        close(connection)
    }

    private func answer(_ command: String) -> String? {
        let technology = state.withLock { $0.technology }
        if let word = ["CREG", "CGREG", "CEREG"].first(where: { command == "AT+\($0)?" }) {
            return "+\(word): 2,1,\"0001\",\"00000001\",\(technology)"
        }
        if command == "AT+COPS?" { return "+COPS: 0,0,\"Example\",\(technology)" }
        return Self.answers[command]
    }

    private static let answers = [
        "ATI": "Model", "AT+CGMM": "Model", "AT+CGMI": "Maker", "AT+CGSN": "123456789012345",
        "AT+CIMI": "001010123456789", "AT+GCAP": "+GCAP: +CGSM", "AT+CPIN?": "+CPIN: READY",
        "AT+CFUN?": "+CFUN: 1", "AT+CSQ": "+CSQ: 20,99", "AT+WS46=?": "+WS46: (12,22,25,28,29)",
    ]

    private static func send(_ text: String, _ connection: CInt) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
}
