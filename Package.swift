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

// The Swift Package Index sets SPI_BUILD. Its images have no libmnl-dev.
let isIndexed = Context.environment["SPI_BUILD"] != nil

// The C targets need Linux, and Swift targets that import them compile without them. For a test of that, this variable
// turns the condition round: a build on Linux is then like one on macOS.
let isElsewhere = Context.environment["REACH_ELSEWHERE"] != nil
let onLinux = TargetDependencyCondition.when(platforms: [isElsewhere ? .macOS : .linux])

let package = Package(
    name: "swift-network-reachability",
    // Those of Synchronization. Linux has no minimum.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NetworkReachability", targets: ["NetworkReachability"]),
        .library(name: "NetworkReachabilityTesting", targets: ["NetworkReachabilityTesting"]),
        .library(name: "AppleReachability", targets: ["AppleReachability"]),
        .library(name: "NetworkPath", targets: ["NetworkPath"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
        .library(name: "SystemServices", targets: ["SystemServices"]),
        .library(name: "CoreTelephony", targets: ["CoreTelephony"]),
        .library(name: "ReachabilityConnectivity", targets: ["ReachabilityConnectivity"]),
        .library(name: "CReach", targets: ["CReach"]),
        // reachctl isn't a product: otherwise, SwiftPM would fetch its dependency,
        // swift-argument-parser, for every client. In this package, `swift run reachctl` works anyway.
    ],
    traits: [
        .default(enabledTraits: [isIndexed ? "BundledLibmnl" : "SystemLibmnl"]),
        .trait(name: "SystemLibmnl", description: "Links the system's libmnl."),
        .trait(
            name: "BundledLibmnl",
            description: "Compiles the needed functions of libmnl; for static programs and musl."),
    ],
    // reachctl ships with exactly the version that it is tested with. Clients don't fetch it, since
    // no product needs it.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        .target(
            name: "CReach",
            exclude: ["README.md", "Makefile", "install.mk", "reach.map", "reach.pc.in"],
            cSettings: warnings + [
                .headerSearchPath("."),
                .define("REACH_SYSTEM_LIBMNL", .when(traits: ["SystemLibmnl"])),
                .define("REACH_BUNDLED_LIBMNL", .when(traits: ["BundledLibmnl"])),
            ],
            linkerSettings: [.linkedLibrary("mnl", .when(traits: ["SystemLibmnl"]))]),
        .systemLibrary(name: "Cepoll"),
        // Glibc or Musl under one name.
        .target(name: "ReachLibc", swiftSettings: modern),
        .target(
            name: "NetworkReachability",
            dependencies: [
                .target(name: "CReach", condition: onLinux),
                .target(name: "Cepoll", condition: onLinux), "ReachLibc",
            ],
            swiftSettings: modern),
        // Needs libsystemd only at run time, and only if it is used.
        .target(name: "CSystemBus", cSettings: warnings + [.headerSearchPath(".")]),
        .target(
            name: "NetworkReachabilityTesting",
            dependencies: ["CReach", "NetworkReachability", "ReachLibc"], swiftSettings: modern),
        .target(
            name: "SystemServices",
            dependencies: [
                .target(name: "CSystemBus", condition: onLinux),
                .target(name: "Cepoll", condition: onLinux), "NetworkReachability", "ReachLibc",
            ],
            swiftSettings: modern),
        // Needs libcurl only at run time, and only for HTTP probes.
        .target(name: "CConnectivity", cSettings: warnings + [.headerSearchPath(".")]),
        .target(
            name: "ReachabilityConnectivity",
            dependencies: [
                .target(name: "CConnectivity", condition: onLinux),
                .target(name: "Cepoll", condition: onLinux), "NetworkReachability", "ReachLibc",
                "SystemServices",
            ],
            swiftSettings: modern),
        // Shared by modules that have nothing else in common.
        .target(name: "RunLoops", dependencies: ["NetworkReachability"], swiftSettings: modern),
        .target(
            name: "AppleReachability",
            dependencies: ["NetworkReachability", "RunLoops"], swiftSettings: modern),
        .target(
            name: "CoreTelephony",
            dependencies: [
                "AppleReachability", "NetworkReachability", "RunLoops", "SystemServices",
            ],
            swiftSettings: modern),
        .target(
            name: "NetworkPath", dependencies: ["NetworkReachability"], swiftSettings: modern),
        .target(
            name: "SystemConfiguration", dependencies: ["NetworkReachability", "RunLoops"],
            swiftSettings: modern),
        .executableTarget(
            name: "reachctl",
            dependencies: [
                "CReach", "NetworkReachability", "ReachLibc", "ReachabilityConnectivity",
                "SystemServices",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Makefile", "prometheus", "schema", "systemd"],
            swiftSettings: modern),
        .executableTarget(
            name: "CReachFuzz", dependencies: ["CReach"], path: "Tests/Fuzz",
            exclude: ["corpus", "run.sh"], cSettings: warnings,
            linkerSettings: [.linkedLibrary("mnl")]),
        .executableTarget(
            name: "AppleConsumer", dependencies: ["AppleReachability"],
            path: "Tests/AppleConsumer", exclude: ["run.sh"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "AllProducts",
            dependencies: [
                "AppleReachability", "BusTestSupport", "CoreTelephony", "NetworkPath",
                "NetworkReachability", "NetworkReachabilityTesting", "ReachabilityConnectivity",
                "SwiftTestSupport", "SystemConfiguration", "SystemServices",
            ],
            path: "Tests/AllProducts", swiftSettings: modern),
        .target(
            name: "CTestSupport", path: "Tests/CTestSupport", cSettings: warnings),
        .target(
            name: "SwiftTestSupport", dependencies: ["CTestSupport", "NetworkReachability"],
            path: "Tests/SwiftTestSupport", swiftSettings: modern),
        .target(name: "OtherErrno", path: "Tests/OtherErrno", swiftSettings: modern),
        .testTarget(
            name: "NetworkReachabilityTests",
            dependencies: [
                "CReach", "NetworkReachability", "NetworkReachabilityTesting", "OtherErrno",
                "SwiftTestSupport",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "AppleReachabilityTests",
            dependencies: [
                "AppleConsumer", "AppleReachability", "NetworkReachability",
                "NetworkReachabilityTesting", "SwiftTestSupport", "SystemConfiguration",
            ],
            swiftSettings: modern),
        .executableTarget(
            name: "FakeServices", path: "Tests/FakeServices", cSettings: warnings),
        .target(
            name: "BusTestSupport",
            dependencies: [
                "FakeServices", "NetworkReachability", "NetworkReachabilityTesting",
                "SwiftTestSupport", "SystemConfiguration", "SystemServices",
            ],
            path: "Tests/BusTestSupport", swiftSettings: modern),
        .testTarget(
            name: "SystemBusTests",
            dependencies: [
                "BusTestSupport", "CSystemBus", "NetworkReachability", "SwiftTestSupport",
                "SystemServices",
            ],
            exclude: ["network-manager.sh"], swiftSettings: modern),
        .testTarget(
            name: "CellularRadioTests",
            dependencies: [
                "BusTestSupport", "NetworkReachability", "SwiftTestSupport", "SystemServices",
                "reachctl",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "CoreTelephonyTests",
            dependencies: [
                "AppleReachability", "BusTestSupport", "CoreTelephony", "NetworkReachability",
                "SwiftTestSupport", "SystemServices",
            ],
            swiftSettings: modern),
        // Clients in Swift 5 mode that know only the module with Apple's name.
        .testTarget(
            name: "CoreTelephonyClientTests", dependencies: ["CoreTelephony"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "NetworkManagerTests",
            dependencies: [
                "BusTestSupport", "CSystemBus", "NetworkReachability",
                "ReachabilityConnectivity", "SwiftTestSupport", "SystemServices", "reachctl",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "ConnectivityTests",
            dependencies: [
                "CTestSupport", "NetworkReachability", "NetworkReachabilityTesting",
                "ReachabilityConnectivity", "SwiftTestSupport", "SystemServices", "reachctl",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "NetworkPathTests",
            dependencies: ["NetworkPath", "NetworkReachability", "SwiftTestSupport"],
            swiftSettings: modern),
        // Clients in Swift 5 mode that know only this module.
        .testTarget(
            name: "NetworkPathClientTests", dependencies: ["NetworkPath"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "ReentrancyTests",
            dependencies: [
                "AppleReachability", "BusTestSupport", "NetworkPath", "NetworkReachability",
                "ReachabilityConnectivity", "SwiftTestSupport", "SystemConfiguration",
                "SystemServices",
            ],
            swiftSettings: modern),
        .testTarget(
            name: "ReachctlTests",
            dependencies: ["NetworkReachability", "SwiftTestSupport", "reachctl"],
            swiftSettings: modern),
        .testTarget(
            name: "SystemConfigurationTests",
            dependencies: ["NetworkReachability", "SwiftTestSupport", "SystemConfiguration"],
            swiftSettings: modern),
        // Clients as they are written for Apple's systems, in both language modes. The sources of the
        // second target are links to those of the first.
        .testTarget(
            name: "SystemConfigurationClientTests",
            dependencies: ["SwiftTestSupport", "SystemConfiguration"],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "SystemConfigurationSwift5ClientTests",
            dependencies: ["SwiftTestSupport", "SystemConfiguration"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "AppleReachabilityClientTests",
            dependencies: ["AppleReachability", "NetworkReachabilityTesting", "SwiftTestSupport"],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "AppleReachabilitySwift5ClientTests",
            dependencies: ["AppleReachability", "NetworkReachabilityTesting", "SwiftTestSupport"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "KernelTests",
            dependencies: [
                "CReach", "NetworkReachability", "NetworkReachabilityTesting", "CTestSupport",
                "SwiftTestSupport",
            ],
            exclude: ["README.md"], swiftSettings: modern),
    ],
    cLanguageStandard: .gnu11
)

// The fuzzer's model of a kernel uses libmnl itself, so it can't be built without libmnl-dev.
if isIndexed { package.targets.removeAll { $0.name == "CReachFuzz" } }
