// SPDX-License-Identifier: MIT
import CReach
import Testing

/// One line of flags.csv: a combination of the nine flags, its status, and its words.
///
/// The other columns belong to AppleReachabilityTests.
struct FlagsRow: Sendable, CustomTestStringConvertible {
    let flags: UInt32
    let status: String
    let words: String

    var testDescription: String { "0x" + String(flags, radix: 16) }

    init?(line: String) {
        let fields = line.split(separator: ",", maxSplits: 6).map(String.init)
        guard fields.count == 7, let flags = UInt32(fields[0].dropFirst(2), radix: 16) else {
            return nil
        }
        self.flags = flags
        status = fields[1]
        words = fields[6].filter { $0 != "\"" }
    }

    static let all: [FlagsRow] = ((try? Recording.lines("flags.csv")) ?? [])
        .dropFirst().compactMap(FlagsRow.init(line:))
}

@Suite("Flags") struct FlagsTests {
    static let statuses: [String: Int32] = [
        "notReachable": 0, "reachableViaWWAN": 1, "reachableViaWiFi": 2,
    ]
    static let unknownBits: [UInt32] = [
        1 << 6, 1 << 15, 1 << 19, 1 << 31, ~UInt32(REACH_FLAGS_ALL),
    ]

    @Test("The table holds every combination of the nine flags once")
    func tableIsComplete() {
        let all = Set(FlagsRow.all.map(\.flags))
        #expect(FlagsRow.all.count == 512)
        #expect(all.count == 512)
        #expect(all.allSatisfy { $0 & ~UInt32(REACH_FLAGS_ALL) == 0 })
    }

    @Test(
        "Statuses agree with flags.csv, whatever the unknown bits are", arguments: FlagsRow.all)
    func statusesAgree(row: FlagsRow) {
        for unknown in [0] + Self.unknownBits {
            let flags = row.flags | unknown
            #expect(reach_status_from_flags(flags).rawValue == Self.statuses[row.status])
        }
    }

    @Test("Texts agree with flags.csv", arguments: FlagsRow.all)
    func textsAgree(row: FlagsRow) {
        let words = unsafe Written(size: Int(REACH_FLAGS_WORDS_SIZE)) {
            unsafe reach_flags_words(row.flags, $0, $1)
        }
        #expect(words.text == row.words)
        #expect(words.length == row.words.utf8.count)
    }

    @Test(
        "Unknown bits follow the words as one number",
        arguments: [
            (0x8000_0000, "0x80000000"),
            (0x42, "Reachable,0x00000040"),
            (
                0xffff_ffff,
                "Reachable,Transient Connection,Connection Required,"
                    + "Automatic Connection On Traffic,Automatic Connection On Demand,"
                    + "Intervention Required,Local Address,Directly Reachable Address,WWAN,"
                    + "0xfff8ffc0"
            ),
        ] as [(UInt32, String)])
    func unknownBitsAreShown(flags: UInt32, words: String) {
        let written = unsafe Written(size: Int(REACH_FLAGS_WORDS_SIZE)) {
            unsafe reach_flags_words(flags, $0, $1)
        }
        #expect(written.text == words)
    }

    @Test("A text is cut to fit its buffer, and its whole length is returned", arguments: 0...257)
    func textsAreCut(size: Int) {
        let forms: [Form] = unsafe [
            { unsafe reach_flags_words(0xffff_ffff, $0, $1) },
            { unsafe reach_flags_words(0, $0, $1) },
        ]
        unsafe forms.forEach { form in
            let whole = unsafe Written(size: Int(REACH_FLAGS_WORDS_SIZE), form)
            let cut = unsafe Written(size: size, form)
            #expect(cut.length == whole.length)
            #expect(cut.text == (size == 0 ? nil : whole.text.map { String($0.prefix(size - 1)) }))
            #expect(cut.contained)
        }
    }

    @Test("Without a buffer the length is still returned")
    func lengthWithoutBuffer() {
        #expect(reach_flags_words(2, nil, 0) == 9)
    }

    @Test("The bulk function agrees with the scalar one at every offset and length")
    func bulkAgrees() {
        var random = Seeded(1)
        let flags = (0..<401).map { _ in UInt32.random(in: .min ... .max, using: &random) }
        let wanted = flags.map { Int8(reach_status_from_flags($0).rawValue) }
        let mark: Int8 = 77
        for length in 0...200 {
            var differing: [Int] = []
            for offset in 0...200 {
                var found = [Int8](repeating: mark, count: 401)
                unsafe flags.withUnsafeBufferPointer { flags in
                    unsafe found.withUnsafeMutableBufferPointer { found in
                        guard let from = flags.baseAddress, let to = found.baseAddress else {
                            return
                        }
                        unsafe reach_statuses_from_flags(from + offset, to + offset, length)
                    }
                }
                let end = offset + length
                let same =
                    found[offset..<end] == wanted[offset..<end]
                    && found[..<offset].allSatisfy { $0 == mark }
                    && found[end...].allSatisfy { $0 == mark }
                if !same {
                    differing.append(offset)
                }
            }
            #expect(differing.isEmpty, "length \(length)")
        }
    }

    @Test("The bulk function accepts a null pointer for zero entries")
    func bulkOfNothing() {
        var status: Int8 = 77
        unsafe reach_statuses_from_flags(nil, &status, 0)
        #expect(status == 77)
    }

    @Test("The bulk function agrees with flags.csv on all 512 combinations")
    func bulkAgreesWithTable() {
        let flags = FlagsRow.all.map(\.flags)
        var found = [Int8](repeating: 77, count: flags.count)
        unsafe reach_statuses_from_flags(flags, &found, flags.count)
        let wanted = FlagsRow.all.map { Self.statuses[$0.status].map { Int8($0) } }
        #expect(found.map(Optional.some) == wanted)
    }

    @Test("The library has the version of its headers")
    func version() {
        #expect(reach_version() == UInt32(REACH_VERSION))
    }
}
