// SPDX-License-Identifier: MIT
import ArgumentParser

/// How datagrams lie in a file.
enum Framing: String, EnumerableFlag {
    /// Messages one after another, as the kernel puts them into a datagram.
    case raw
    /// Each datagram behind its length (u32, little endian).
    case framed

    static func help(for framing: Framing) -> ArgumentHelp? {
        switch framing {
        case .raw: "Messages follow each other. By default the framing that fits is taken."
        case .framed: "Each datagram stands behind its length (u32, little endian)."
        }
    }

    /// The framing under which more of `bytes` is well formed.
    ///
    /// No sound file reads both ways to its end: as messages, a frame ends four bytes too early.
    static func detect(in bytes: [UInt8]) -> Framing {
        soundPrefix(ofFrames: bytes[...]) > soundPrefix(ofMessages: bytes[...]) ? .framed : .raw
    }

    /// The datagrams of `bytes`.
    ///
    /// A frame that claims more than is left ends them; `offset` is then that of the frame and
    /// `datagram` is nil.
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

    /// The first frame's datagram, if all of it is there.
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
