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
        .library(name: "AppleReachability", targets: ["AppleReachability"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
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
            exclude: ["README.md", "reach.map", "reach.pc.in", "install.sh"],
            cSettings: warnings + [.headerSearchPath(".")]),
        .systemLibrary(name: "Cepoll"),
        .target(
            name: "NetworkReachability", dependencies: ["CReach", "Cepoll"],
            swiftSettings: modern),
        .target(
            name: "AppleReachability", dependencies: ["CReach", "NetworkReachability"],
            swiftSettings: modern),
        .target(
            name: "SystemConfiguration", dependencies: ["NetworkReachability"],
            swiftSettings: modern),
        .executableTarget(
            name: "reachctl",
            dependencies: [
                "Cepoll", "CReach", "NetworkReachability",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["systemd"],
            swiftSettings: modern),
        .executableTarget(
            name: "CReachFuzz", dependencies: ["CReach"], path: "Tests/Fuzz",
            exclude: ["corpus", "make-corpus.sh"], cSettings: warnings),
        .executableTarget(
            name: "AppleConsumer", dependencies: ["AppleReachability"],
            path: "Tests/AppleConsumer", exclude: ["run.sh"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "LeakCheck", dependencies: ["NetworkReachability", "SystemConfiguration"],
            path: "Tests/LeakCheck", swiftSettings: modern),
        .target(
            name: "CTestSupport", path: "Tests/CTestSupport", cSettings: warnings),
        .target(
            name: "SwiftTestSupport", dependencies: ["CTestSupport", "NetworkReachability"],
            path: "Tests/SwiftTestSupport", swiftSettings: modern),
        .target(name: "OtherErrno", path: "Tests/OtherErrno", swiftSettings: modern),
        .testTarget(
            name: "CReachTests", dependencies: ["CReach", "CTestSupport"],
            resources: [.copy("Vectors")],
            swiftSettings: modern),
        .testTarget(
            name: "NetworkReachabilityTests",
            dependencies: ["CReach", "NetworkReachability", "OtherErrno", "SwiftTestSupport"],
            swiftSettings: modern),
        .testTarget(
            name: "AppleReachabilityTests",
            dependencies: [
                "AppleConsumer", "AppleReachability", "NetworkReachability", "SwiftTestSupport",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "ReachctlTests", dependencies: ["reachctl"], swiftSettings: modern),
        .testTarget(
            name: "SystemConfigurationTests",
            dependencies: ["NetworkReachability", "SwiftTestSupport", "SystemConfiguration"],
            swiftSettings: modern),
        // Clients in the way they are written for Apple's systems, in both language modes: the sources
        // of the second are links to those of the first.
        .testTarget(
            name: "SystemConfigurationClientTests",
            dependencies: ["SwiftTestSupport", "SystemConfiguration"],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "SystemConfigurationSwift5ClientTests",
            dependencies: ["SwiftTestSupport", "SystemConfiguration"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "KernelTests",
            dependencies: ["CReach", "NetworkReachability", "CTestSupport", "SwiftTestSupport"],
            swiftSettings: modern),
    ],
    cLanguageStandard: .gnu11
)
