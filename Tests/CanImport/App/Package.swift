// swift-tools-version: 6.2
import PackageDescription

// A program that uses a package without a dependency on the module, and provides the module.
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
