// SPDX-License-Identifier: MIT
import Cepoll
import Glibc
import NetworkReachability

/// The addresses in `namespace` with the lengths of their prefixes ("192.0.2.1/24"), by the names of
/// their interfaces.
///
/// Moves the calling thread to `namespace` for good.
func interfaceAddresses(in namespace: NetworkNamespace) throws(Failure) -> [String: [String]] {
    try enter(namespace)
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else {
        throw .system("the addresses of the interfaces cannot be listed", errno)
    }
    defer { unsafe freeifaddrs(first) }
    var addresses: [String: [String]] = [:]
    var next = unsafe first
    while let entry = unsafe next?.pointee {
        unsafe next = entry.ifa_next
        guard let own = unsafe address(entry.ifa_addr), let name = unsafe entry.ifa_name else {
            continue
        }
        let mask = unsafe address(entry.ifa_netmask)
        let length = mask?.bytes.reduce(0) { $0 + $1.nonzeroBitCount } ?? own.bytes.count * 8
        // Without the index of the interface, whose name is beside it.
        let text = own.description.prefix { $0 != "%" }
        addresses[unsafe String(cString: name), default: []].append("\(text)/\(length)")
    }
    return addresses
}

private func enter(_ namespace: NetworkNamespace) throws(Failure) {
    let path: String? =
        switch namespace {
        case .current: nil
        case .named(let name): "/run/netns/\(name)"
        case .path(let path): path
        case .process(let process): "/proc/\(process)/ns/net"
        }
    guard let path else { return }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    guard enter_network_namespace(descriptor) == 0 else {
        throw .system("cannot enter the network namespace '\(path)'", errno)
    }
}

/// The address of a socket address; nil if there is none or it is of another family.
private func address(_ socketAddress: UnsafeMutablePointer<sockaddr>?) -> NetworkAddress? {
    guard let pointer = unsafe socketAddress else { return nil }
    let size =
        unsafe pointer.pointee.sa_family == sa_family_t(AF_INET6)
        ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    return unsafe try? NetworkAddress(
        sockaddr: UnsafeRawBufferPointer(start: pointer, count: size))
}
