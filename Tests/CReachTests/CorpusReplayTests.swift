// SPDX-License-Identifier: MIT
import CReach
import CReachInternal
import Foundation
import Testing

/// The fuzzer's inputs, read from the source tree.
private enum Corpus {
    static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzz/corpus")

    static let names: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (names ?? []).filter { $0.hasSuffix(".bin") }.sorted()
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: directory.appendingPathComponent(name)))
    }
}

/// The result of decoding a whole buffer.
private struct Decoded {
    var kinds: [UInt16] = []
    var malformed = 0
    var stuck = false
    /// The last result: 0 at the end of the buffer.
    var result: Int32 = 0

    init(_ bytes: [UInt8]) {
        var message = reach_message()
        var offset = 0
        repeat {
            let before = offset
            result = unsafe reach_message_decode(bytes, bytes.count, &offset, &message)
            switch result {
            case 1: kinds.append(message.kind)
            case -EBADMSG: malformed += 1
            default: return
            }
            stuck = offset <= before || offset > bytes.count
        } while !stuck
    }
}

@Suite("The fuzz corpus, replayed")
struct CorpusReplayTests {
    @Test("The corpus exists, with scripts and the input of a past error")
    func corpusIsThere() {
        #expect(Corpus.names.count > 100)
        #expect(Corpus.names.contains("oversized-length.bin"))
        #expect(Corpus.names.contains { $0.hasPrefix("script-") })
    }

    @Test("Every input is decoded to its end", arguments: Corpus.names)
    func decodes(name: String) throws {
        let decoded = Decoded(try Corpus.bytes(name))
        #expect(!decoded.stuck)
        #expect(decoded.result == 0)
    }

    @Test(
        "No message that a kernel sent is malformed",
        arguments: Corpus.names.filter { $0.hasPrefix("debian-") || $0.hasPrefix("new") })
    func kernelIsUnderstood(name: String) throws {
        let decoded = Decoded(try Corpus.bytes(name))
        #expect(decoded.malformed == 0)
        #expect(!decoded.kinds.isEmpty)
    }

    @Test("The corpus has every kind of message")
    func everyKind() throws {
        let kinds = try Set(Corpus.names.flatMap { try Decoded(Corpus.bytes($0)).kinds })
        #expect(kinds.isSuperset(of: 1...8))
    }

    @Test("An empty buffer has no messages")
    func empty() {
        let decoded = Decoded([])
        #expect(decoded.result == 0)
        #expect(decoded.kinds.isEmpty && decoded.malformed == 0)
    }

    @Test("A length above INT_MAX is malformed, not followed")
    func oversizedLength() throws {
        let decoded = Decoded(try Corpus.bytes("oversized-length.bin"))
        #expect(decoded.malformed == 1)
        #expect(decoded.kinds.isEmpty)
    }

    @Test("An engine survives every input, as event and as answer", arguments: Corpus.names)
    func engineSurvives(name: String) throws {
        let bytes = try Corpus.bytes(name)
        var created: OpaquePointer?
        unsafe try #require(reach_engine_create(&created) == 0)
        let engine = unsafe try #require(created)
        defer { unsafe reach_engine_destroy(engine) }
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, .REACH_TARGET_INTERNET)
        var id: UInt64 = 0
        unsafe try #require(reach_engine_add(engine, &target, &id) == 0)

        var requests = [UInt32](repeating: 0, count: Int(REACH_REQUESTS_SIZE) / 4)
        var size = 0
        for _ in 0..<3 {
            #expect(unsafe reach_engine_events(engine, bytes, bytes.count) == 0)
            let result = unsafe reach_engine_requests(
                engine, &requests, Int(REACH_REQUESTS_SIZE), &size)
            #expect(result == 0)
            #expect(unsafe reach_engine_answers(engine, bytes, bytes.count) == 0)
            unsafe reach_engine_answers_lost(engine)
            #expect(unsafe reach_engine_pending(engine) == 0)
        }
        _ = unsafe reach_engine_publish(engine)
        var change = unsafe reach_change()
        unsafe change.size = MemoryLayout<reach_change>.size
        while unsafe reach_engine_next(engine, &change) == 1 {
            #expect(unsafe change.id == id)
        }
        var stats = reach_stats()
        stats.size = MemoryLayout<reach_stats>.size
        #expect(unsafe reach_engine_stats(engine, &stats) == 0)
        let decoded = Decoded(bytes)
        #expect(stats.malformed >= UInt64(min(decoded.malformed, 1)))
        #expect(unsafe reach_engine_remove(engine, id) == 0)
    }
}
