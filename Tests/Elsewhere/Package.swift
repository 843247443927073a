// swift-tools-version: 6.2
import PackageDescription

// A package that names the products without a condition, as on a Mac. run.sh builds and runs it.
let package = Package(
    name: "elsewhere",
    platforms: [.macOS(.v15)],
    // Named, so that the checkout's directory may be called anything.
    dependencies: [.package(name: "reach", path: "../..")],
    targets: [
        .executableTarget(
            name: "Elsewhere",
            dependencies: [
                .product(name: "NetworkPath", package: "reach"),
                .product(name: "NetworkReachability", package: "reach"),
                .product(name: "ReachabilityConnectivity", package: "reach"),
                .product(name: "SystemServices", package: "reach"),
            ])
    ]
)
