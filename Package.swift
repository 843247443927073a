// swift-tools-version: 6.2
import PackageDescription

let warnings: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .enableWarning("shadow"),
    .enableWarning("conversion"),
    .enableWarning("strict-prototypes"),
    .enableWarning("missing-prototypes"),
]

let modern: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-network-reachability",
    products: [
        .library(name: "NetworkReachability", targets: ["NetworkReachability"]),
        .library(name: "CReach", targets: ["CReach"]),
        .library(name: "reach", type: .dynamic, targets: ["CReach"]),
        .library(name: "reach-static", type: .static, targets: ["CReach"]),
        .executable(name: "reachctl", targets: ["reachctl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
    ],
    targets: [
        .systemLibrary(
            name: "Cmnl", pkgConfig: "libmnl", providers: [.apt(["libmnl-dev"])]),
        .target(
            name: "CReach", dependencies: ["Cmnl"],
            exclude: ["reach.map", "reach.pc.in", "install.sh"],
            cSettings: warnings),
        .target(
            name: "NetworkReachability", dependencies: ["CReach"], swiftSettings: modern),
        .executableTarget(
            name: "reachctl",
            dependencies: [
                "CReach", "NetworkReachability",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: modern),
        .executableTarget(
            name: "CReachFuzz", dependencies: ["CReach"], path: "Tests/Fuzz",
            exclude: ["corpus", "make-corpus.sh"], cSettings: warnings),
        .target(
            name: "CTestSupport", path: "Tests/CTestSupport", cSettings: warnings),
        .testTarget(
            name: "CReachTests", dependencies: ["CReach", "CTestSupport"],
            resources: [.copy("Vectors")],
            swiftSettings: modern),
        .testTarget(
            name: "NetworkReachabilityTests", dependencies: ["NetworkReachability"],
            swiftSettings: modern),
        .testTarget(
            name: "ReachctlTests", dependencies: ["reachctl"], swiftSettings: modern),
        .testTarget(
            name: "KernelTests",
            dependencies: ["CReach", "NetworkReachability", "CTestSupport"],
            swiftSettings: modern),
    ],
    cLanguageStandard: .gnu11
)
