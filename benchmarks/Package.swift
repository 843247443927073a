// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [
        // Named, so that the checkout's directory may have any name.
        .package(name: "reach", path: ".."),
        // Without its traits: they pull in an allocator that is not needed here.
        .package(url: "https://github.com/ordo-one/benchmark.git", exact: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "CWorkloads"),
        .target(
            name: "Workloads",
            dependencies: [
                "CWorkloads", .product(name: "CReach", package: "reach"),
                .product(name: "NetworkReachability", package: "reach"),
            ]),
        .target(name: "CBoard"),
        .target(name: "BareThread", dependencies: ["CBoard"]),
        .executableTarget(
            name: "LatencyListener",
            dependencies: [
                "BareThread", "CBoard",
                .product(name: "NetworkReachability", package: "reach"),
            ]),
        .executableTarget(
            name: "LatencyApple",
            dependencies: [
                "BareThread", "CBoard",
                .product(name: "AppleReachability", package: "reach"),
                .product(name: "SystemConfiguration", package: "reach"),
            ]),
        .target(name: "CAllocations"),
        .target(name: "AllocationCounter", dependencies: ["CAllocations"]),
        .executableTarget(
            name: "AllocationsApple",
            dependencies: [
                "AllocationCounter", .product(name: "AppleReachability", package: "reach"),
                .product(name: "SystemConfiguration", package: "reach"),
            ]),
        .executableTarget(
            name: "Allocations",
            dependencies: [
                "AllocationCounter", .product(name: "CReach", package: "reach"),
                .product(name: "NetworkReachability", package: "reach"),
            ]),
        .executableTarget(
            name: "ReachBenchmarks",
            dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/ReachBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ],
    cLanguageStandard: .gnu11
)
