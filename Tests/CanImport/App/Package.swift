// swift-tools-version: 6.2
import PackageDescription

// A program that provides the module to a package that doesn't depend on it.
let package = Package(
    name: "App",
    dependencies: [
        .package(path: "../Client"),
        .package(name: "swift-network-reachability", path: "../../.."),
    ],
    targets: [
        .executableTarget(
            name: "App",
            dependencies: [
                "Client",
                .product(name: "SystemConfiguration", package: "swift-network-reachability"),
            ])
    ]
)
