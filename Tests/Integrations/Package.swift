// swift-tools-version: 6.2
import PackageDescription

// Compiles and runs the recipes of Integrations.md against the real libraries. run.sh copies them from
// the page to Sources/Recipes.
let package = Package(
    name: "integrations",
    dependencies: [
        // Named, so that the checkout's directory may be called anything.
        .package(name: "reach", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.71.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.24.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "Recipes",
            dependencies: [
                .product(name: "NetworkReachability", package: "reach"),
                .product(name: "ReachabilityConnectivity", package: "reach"),
                .product(name: "SystemServices", package: "reach"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "RecipeTests",
            dependencies: [
                "Recipes",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NetworkReachabilityTesting", package: "reach"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
    ]
)
