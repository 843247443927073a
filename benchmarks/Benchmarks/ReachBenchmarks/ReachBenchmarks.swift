// SPDX-License-Identifier: MIT
import Benchmark
import Workloads

let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput], maxDuration: .seconds(1))

    let passes: [(String, @Sendable (FlagBuffers) -> Void)] = [
        ("memory pass", { $0.pass() }), ("C", { $0.decodeByC() }),
        ("Swift", { $0.decodeBySwift() }),
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
