// swift-tools-version: 5.9
import PackageDescription

// A package written for Apple's systems: it doesn't depend on the package that contains the module.
let package = Package(
    name: "Client",
    products: [.library(name: "Client", targets: ["Client"])],
    targets: [.target(name: "Client")]
)
