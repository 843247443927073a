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

    @Flag
    var framing: Framing?

    func perform() throws {
        let input = Input(file)
        // reach_message_decode() accepts at most INT_MAX bytes.
        let bytes = try input.read(limit: 1 << 28)
        let framing = self.framing ?? Framing.detect(in: bytes)
        var output = Output()
        var isSound = true
        for (offset, datagram) in framing.datagrams(of: bytes) {
            var reader = MessageReader(datagram)
            while !output.isEnded, let result = reader.next() {
                switch result {
                case .success(let message):
                    try output.line(message.json)
                case .failure(let malformed):
                    // Print buffered lines first, to keep the order of lines and reports.
                    try output.flush()
                    complain(
                        "\(input.name): \(malformed.what) at byte \(offset + malformed.offset)")
                    isSound = false
                }
            }
        }
        try output.flush()
        guard isSound else { throw ExitCode(EX_DATAERR) }
    }
}

/// A message that can't be decoded, and its offset in the datagram.
private struct Malformed: Error {
    let what: String
    let offset: Int
}

/// The messages of one datagram.
private struct MessageReader {
    private let bytes: [UInt8]
    private var offset = 0
    private var message = reach_message()
    private var isCut: Bool

    /// Copies the datagram to memory aligned for the decoder.
    init(_ datagram: ArraySlice<UInt8>?) {
        bytes = Array(datagram ?? [])
        isCut = datagram == nil
    }

    /// The next message; nil at the end.
    mutating func next() -> Result<reach_message, Malformed>? {
        if isCut {
            isCut = false
            return .failure(Malformed(what: "a datagram that ends after the file", offset: 0))
        }
        guard offset < bytes.count else { return nil }
        let start = offset
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe reach_message_decode(buffer.baseAddress, buffer.count, &offset, &message)
        }
        if result == 1 { return .success(message) }
        // If the offset has not moved, the rest cannot be decoded.
        if offset == start { offset = bytes.count }
        return .failure(Malformed(what: "a malformed message", offset: start))
    }
}
