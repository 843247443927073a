// SPDX-License-Identifier: MIT

extension SCNetworkReachability: CustomStringConvertible {
    /// What `CFShow` prints: the target, and while it is scheduled the flags and interface in use.
    ///
    ///     <SCNetworkReachability 0x55d0c8 [0x7f1234]> {name = localhost (complete, 127.0.0.1), flags = 0x00010002, if_index = 1}
    public var description: String {
        let path = scheduledPath
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        var text = "<SCNetworkReachability \(hexadecimal(address)) [\(hexadecimal(allocator))]> {"
        text += target
        if let path {
            if endpoint.isName { text += path.resolution }
            text += ", flags = \(hexadecimal(path.flags.rawValue, width: 8))"
            text += ", if_index = \(path.interfaceIndex)"
        }
        return text + "}"
    }

    private var target: String {
        switch endpoint {
        case .defaultPath: "default path"
        case .address(let address): "address = \(address.text)"
        case .pair(let local, let remote?):
            "local address = \(local.text), remote address = \(remote.text)"
        case .pair(let local, nil): "local address = \(local.text), default path"
        case .name(let name), .impossibleName(let name): "name = \(name)"
        }
    }
}

extension SCNetworkReachability: CustomDebugStringConvertible {
    /// The same as ``description``.
    public var debugDescription: String {
        description
    }
}

extension PathState {
    fileprivate var resolution: String {
        let list = addresses.map { ", \($0.text)" }.joined()
        if isResolving { return list.isEmpty ? " (DNS query active)" : " (in progress\(list))" }
        return " (complete\(list.isEmpty ? ", no addresses" : list))"
    }
}

private func hexadecimal(_ number: some BinaryInteger, width: Int = 0) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
}
