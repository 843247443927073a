// SPDX-License-Identifier: MIT
import ArgumentParser
import CReach
import CReachInternal
import ReachLibc

/// `reachctl decode`.
struct Decode: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode recorded rtnetlink datagrams.",
        discussion: """
            Prints one JSON object per message, on a line of its own, without absent attributes; 'expires' \
            of a route is in milliseconds, 'valid' and 'preferred' of an address in seconds. \
            'otherSelectors' counts attributes of a rule's selectors that aren't shown, such as ports. \
            Malformed bytes are reported on standard error with their offset, and decoding continues after them where \
            possible.

            EXIT STATUS:
              0     every message was decoded
              64    bad usage
              65    malformed bytes
              71    a system error

            EXAMPLES:
              timeout 10 rtmon file events.bin; reachctl decode events.bin
                  Print what iproute2's rtmon records in ten seconds.
              reachctl decode <events.bin | jq -c 'select(.deleted)'
                  Print what was deleted, from a recording on standard input.
            """)

    @Argument(help: "The recording; '-' is standard input.", completion: .file())
    var file = "-"

    func perform() throws {
        let input = Input(file)
        // reach_message_decode() accepts at most INT_MAX bytes.
        let bytes = try input.read(limit: 1 << 28)
        var reader = MessageReader(bytes: bytes)
        var output = Output()
        var isSound = true
        while !output.isEnded, let (offset, message) = reader.next() {
            if let message {
                try output.line(message.json)
            } else {
                // Print buffered lines first, to keep the order of lines and reports.
                try output.flush()
                complain("\(input.name): a malformed message at byte \(offset)")
                isSound = false
            }
        }
        try output.flush()
        guard isSound else { throw ExitCode(EX_DATAERR) }
    }
}

/// The messages of a recording.
private struct MessageReader {
    let bytes: [UInt8]
    private var offset = 0
    private var message = reach_message()

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next message, nil if it is malformed, and its offset; nil at the end.
    mutating func next() -> (offset: Int, message: reach_message?)? {
        guard offset < bytes.count else { return nil }
        let start = offset
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe reach_message_decode(buffer.baseAddress, buffer.count, &offset, &message)
        }
        if result == 1 { return (start, message) }
        // If the offset has not moved, the rest cannot be decoded.
        if offset == start { offset = bytes.count }
        return (start, nil)
    }
}
