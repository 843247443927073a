// SPDX-License-Identifier: MIT

// A client for Apple's systems and Linux, as NetworkPath's page describes.
import NetworkPath

/// Has the same name as the module.
struct NetworkPath {
    let path: NWPath

    var gateways: [String] {
        path.gateways.map { endpoint in
            switch endpoint {
            case .hostPort(.ipv4(let address), .any): "\(address), \(address.rawValue.count) bytes"
            case .hostPort(.ipv6(let address), _): address.interface?.name ?? "\(address)"
            case .hostPort(let host, let port): "\(host), \(port.rawValue)"
            case .service(let name, let type, let domain, _): "\(name) \(type) \(domain)"
            case .unix(let path): path
            case .url(let url): "\(url)"
            @unknown default: "?"
            }
        }
    }

    var isSlow: Bool {
        if #available(macOS 26.0, iOS 26.0, *) { return path.isUltraConstrained }
        return path.isConstrained
    }
}

let monitor = NWPathMonitor(prohibitedInterfaceTypes: [.loopback])
guard let port = NWEndpoint.Port(rawValue: 443), port == .https else { fatalError() }
let path = NetworkPath(path: monitor.currentPath)
print(path.gateways.isEmpty && !path.isSlow && path.path.status == .unsatisfied)
