// SPDX-License-Identifier: MIT
import Benchmark
import Workloads

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput], maxDuration: .seconds(1))

    let kinds = ["routes4", "routes6", "events", "addresses", "links"]
    for name in kinds + kinds.map({ "varied-\($0)" }) {
        Benchmark("decode \(name), library") { benchmark in
            let corpus = try Corpus(name: name, directory: Corpus.directory)
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { blackHole(corpus.readByReach()) }
        }
        Benchmark("decode \(name), libmnl") { benchmark in
            let corpus = try Corpus(name: name, directory: Corpus.directory)
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { blackHole(corpus.readByLibmnl()) }
        }
    }

    Benchmark("events to verdicts, 100 targets") { benchmark in
        let directory = Corpus.directory
        let run = try EngineRun(
            links: Corpus(name: "links", directory: directory),
            addresses: Corpus(name: "addresses", directory: directory),
            events: Corpus(name: "events", directory: directory))
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations { run.takeEvents() }
    }

    let passes: [(String, @Sendable (FlagBuffers) -> Void)] = [
        ("memory pass", { $0.pass() }), ("C", { $0.decodeByC() }),
        ("Swift", { $0.decodeBySwift() }), ("one by one", { $0.decodeOneByOne() }),
    ]
    for (name, pass) in passes {
        Benchmark("128 Ki flags, \(name)") { benchmark in
            let buffers = FlagBuffers(count: 128 << 10)
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { pass(buffers) }
            benchmark.stopMeasurement()
            precondition(name == "memory pass" || buffers.isRight())
        }
    }
}
