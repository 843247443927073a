// SPDX-License-Identifier: MIT
import ArgumentParser

/// The layout of datagrams in a file.
enum Framing: String, EnumerableFlag {
    /// Messages one after another, as in one datagram.
    case raw
    /// Each datagram after its length (u32, little endian).
    case framed

    static func help(for framing: Framing) -> ArgumentHelp? {
        switch framing {
        case .raw: "Messages one after another. By default the framing is detected."
        case .framed: "Each datagram after its length (u32, little endian)."
        }
    }

    /// The framing under which more of `bytes` is well formed.
    ///
    /// No file is well formed to its end under both framings. Read as a message, a frame ends four
    /// bytes too early, because its length doesn't include itself.
    static func detect(in bytes: [UInt8]) -> Framing {
        soundPrefix(ofFrames: bytes[...]) > soundPrefix(ofMessages: bytes[...]) ? .framed : .raw
    }

    /// The datagrams of `bytes`.
    ///
    /// A frame that is longer than the rest of the file ends the list, with a nil `datagram` and
    /// the frame's own offset.
    func datagrams(of bytes: [UInt8]) -> [(offset: Int, datagram: ArraySlice<UInt8>?)] {
        guard self == .framed else { return [(0, bytes[...])] }
        var result: [(offset: Int, datagram: ArraySlice<UInt8>?)] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let datagram = Framing.frame(rest)
            result.append((datagram?.startIndex ?? rest.startIndex, datagram))
            guard let datagram else { break }
            rest = rest[datagram.endIndex...]
        }
        return result
    }

    /// The datagram of the first frame, if it is complete.
    private static func frame(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let size = word(bytes), size <= bytes.count - 4 else { return nil }
        return bytes.dropFirst(4).prefix(size)
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func soundPrefix(ofFrames bytes: ArraySlice<UInt8>) -> Int {
        var rest = bytes
        while let datagram = frame(rest), !datagram.isEmpty,
            soundPrefix(ofMessages: datagram) == datagram.count
        {
            rest = rest[datagram.endIndex...]
        }
        return bytes.count - rest.count
    }

    private static func soundPrefix(ofMessages bytes: ArraySlice<UInt8>) -> Int {
        let header = 16
        var rest = bytes
        while let size = word(rest), size >= header, size <= rest.count {
            rest = rest.dropFirst((size + 3) & ~3)
        }
        return bytes.count - rest.count
    }
}
