// SPDX-License-Identifier: MIT

internal import NetworkReachability

extension SCNetworkReachability: CustomStringConvertible {
    /// The text that `CFShow()` prints on Apple's systems: the target, and, while scheduled, its flags and interface.
    ///
    /// ```none
    /// <SCNetworkReachability 0x55d0c8 [0x7f1234]> {name = localhost (complete, 127.0.0.1), flags = 0x00010002, if_index = 1}
    /// ```
    public var description: String {
        let path = scheduledPath
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        var text = "<SCNetworkReachability \(hexadecimal(address)) [\(hexadecimal(allocator))]> {"
        text += endpoint.description
        text += path?.progress ?? ""
        if let path {
            text += ", flags = \(hexadecimal(path.flags.rawValue, width: 8))"
            text += ", if_index = \(path.interfaceIndex)"
        }
        return text + "}"
    }
}

extension SCNetworkReachability: CustomDebugStringConvertible {
    /// The same as ``description``.
    public var debugDescription: String {
        description
    }
}

extension PathState {
    /// The progress of a name's resolution; empty for other targets.
    fileprivate var progress: String {
        let list = addresses.map { ", \($0)" }.joined()
        return switch resolution {
        case .notAName: ""
        case .pending: " (DNS query active)"
        case .done, .outdated: " (complete\(list.isEmpty ? ", no addresses" : list))"
        }
    }
}

private func hexadecimal(_ number: some BinaryInteger, width: Int = 0) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
}
