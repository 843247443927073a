// SPDX-License-Identifier: MIT
import Glibc
import Workloads

/// Two ways to do the same, and how much more the first may cost.
struct Comparison {
    let name: String
    let unit: Int
    /// Ours divided by the yardstick: more than this fails.
    let limit: Double
    let ours: () -> Void
    let yardstick: () -> Void
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func nanoseconds(_ work: () -> Void) -> Double {
    let (seconds, attoseconds) = ContinuousClock().measure(work).components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Both sides take turns, so that what disturbs the machine disturbs both.
func measure(_ comparison: Comparison) -> (ours: Double, yardstick: Double, ratio: Double) {
    let rounds = 31
    let least = 2e6
    comparison.ours()
    let times = max(1, Int(least / max(1, nanoseconds(comparison.ours))))
    var ours: [Double] = []
    var yardstick: [Double] = []
    for _ in 0..<rounds {
        ours.append(nanoseconds { for _ in 0..<times { comparison.ours() } })
        yardstick.append(nanoseconds { for _ in 0..<times { comparison.yardstick() } })
    }
    let scale = Double(times * comparison.unit)
    return (
        median(ours) / scale, median(yardstick) / scale,
        median(zip(ours, yardstick).map { $0 / $1 })
    )
}

func decimal(_ value: Double, _ digits: Int) -> String {
    let scale = pow(10, Double(digits))
    let whole = Int((value * scale).rounded())
    let text = String(whole)
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    return "\(padded.dropLast(digits)).\(padded.suffix(digits))"
}

func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}

func comparisons() throws -> [Comparison] {
    let directory = Corpus.directory
    // Twice what was measured is room for noise: these are to catch a mistake, not a percent.
    let limits = [
        "routes4": 0.3, "routes6": 0.3, "addresses": 0.34, "links": 0.32, "events": 0.32,
    ]
    var all: [Comparison] = []
    var corpora: [String: Corpus] = [:]
    for name in ["routes4", "routes6", "addresses", "links", "events"] {
        let corpus = try Corpus(name: name, directory: directory)
        corpora[name] = corpus
        all.append(
            Comparison(
                name: "decode \(name) / libmnl", unit: corpus.messages, limit: limits[name] ?? 1,
                ours: { _ = corpus.readByReach() }, yardstick: { _ = corpus.readByLibmnl() }))
    }
    if let links = corpora["links"], let addresses = corpora["addresses"],
        let events = corpora["events"]
    {
        let run = try EngineRun(links: links, addresses: addresses, events: events)
        guard run.takeEvents().changes > 0 else {
            throw RatioError(text: "the engine reported no change")
        }
        all.append(
            Comparison(
                name: "events to verdicts / libmnl decoding alone", unit: events.messages, limit: 1,
                ours: { run.takeEvents() }, yardstick: { _ = events.readByLibmnl() }))
    }
    return try all + flagComparisons()
}

struct RatioError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

func flagComparisons() throws -> [Comparison] {
    var all: [Comparison] = []
    // A processor with nothing wider than SSE2 or NEON still passes.
    let sizes = [("4 Ki", 4 << 10, 16.0), ("128 Ki", 128 << 10, 8), ("16 Mi", 16 << 20, 2.5)]
    for (name, count, limit) in sizes {
        let buffers = FlagBuffers(count: count)
        buffers.decodeBySwift()
        guard buffers.isRight() else { throw RatioError(text: "wrong statuses") }
        all += [
            Comparison(
                name: "\(name) flags, C / memory pass", unit: count, limit: limit,
                ours: buffers.decodeByC, yardstick: buffers.pass),
            Comparison(
                name: "\(name) flags, Swift / C", unit: count, limit: 1.25,
                ours: buffers.decodeBySwift, yardstick: buffers.decodeByC),
            Comparison(
                name: "\(name) flags, C in bulk / one by one", unit: count, limit: 1.1,
                ours: buffers.decodeByC, yardstick: buffers.decodeOneByOne),
        ]
    }
    return all
}

do {
    var failed = false
    print("ours ns".padded(60), "yardstick ns", "ratio", "limit")
    for comparison in try comparisons() {
        let result = measure(comparison)
        let isOver = result.ratio > comparison.limit
        failed = failed || isOver
        print(
            comparison.name + column(decimal(result.ours, 3), 60 - comparison.name.count)
                + column(decimal(result.yardstick, 3), 13) + column(decimal(result.ratio, 3), 8)
                + column(decimal(comparison.limit, 2), 8) + (isOver ? "  OVER" : ""))
    }
    exit(failed ? 1 : 0)
} catch {
    print("BenchmarkRatios: \(error)")
    exit(2)
}

extension String {
    func padded(_ width: Int) -> String { column(self, width) }
}
