// swift-tools-version: 6.2
import PackageDescription

// A program that uses the package that does not know of the module, and brings the module along.
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
