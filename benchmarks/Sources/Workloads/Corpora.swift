// SPDX-License-Identifier: MIT
import CWorkloads
import Glibc

/// Why a recording couldn't be read.
public struct CorpusError: Error, CustomStringConvertible {
    let path: String
    let code: CInt

    /// The path, the reason, and a remedy.
    public var description: String {
        "\(path): \(unsafe String(cString: strerror(code))); run benchmarks/make-corpus.sh first"
    }
}

/// One recording of `make-corpus.sh`, read with the library and with libmnl.
public final class Corpus {
    /// The kind of the messages.
    public let name: String
    var recorded: corpus

    /// Loads a recording and checks that both readers find the same values.
    public init(name: String, directory: String) throws(CorpusError) {
        let path = "\(directory)/\(name).dump"
        var recorded = unsafe corpus()
        let result = unsafe corpus_load(&recorded, path)
        guard result == 0 else { throw CorpusError(path: path, code: -result) }
        unsafe self.recorded = recorded
        self.name = name
        guard readByReach() == readByLibmnl() else { throw CorpusError(path: path, code: EBADMSG) }
    }

    deinit { unsafe corpus_free(&recorded) }

    /// Decodes every message with the library.
    public func readByReach() -> UInt64 { unsafe read_by_reach(&recorded) }

    /// Decodes every message by libmnl's idiom.
    public func readByLibmnl() -> UInt64 { unsafe read_by_idiom(&recorded) }

    /// The directory of the recordings: `REACH_CORPUS`, or the default of `make-corpus.sh`.
    public static var directory: String {
        guard let path = unsafe getenv("REACH_CORPUS") else { return "benchmarks/.build/corpus" }
        return unsafe String(cString: path)
    }
}

/// An engine with 100 targets that turns recorded events into changes of verdicts.
public final class EngineRun {
    private let run: OpaquePointer
    // The engine keeps pointers into them.
    private let links: Corpus
    private let addresses: Corpus
    private let events: Corpus

    /// Starts an engine on the recorded links and addresses.
    public init(links: Corpus, addresses: Corpus, events: Corpus) throws(CorpusError) {
        guard let run = unsafe engine_run_create(&links.recorded, &addresses.recorded) else {
            throw CorpusError(path: links.name, code: ENODATA)
        }
        unsafe self.run = run
        self.links = links
        self.addresses = addresses
        self.events = events
    }

    deinit { unsafe engine_run_destroy(run) }

    /// Takes every event, one at a time.
    /// - Returns: Lookups sent and changes reported.
    @discardableResult
    public func takeEvents() -> (lookups: UInt64, changes: UInt64) {
        let verdicts = unsafe engine_run_events(run, &events.recorded)
        return (verdicts.lookups, verdicts.changes)
    }
}
