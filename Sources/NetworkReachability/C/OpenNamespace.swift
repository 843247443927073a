// SPDX-License-Identifier: MIT

#if canImport(CReach)
internal import ReachLibc

/// The identity of a network namespace: device and inode of its file in nsfs.
struct NamespaceIdentity: Hashable, Sendable {
    var device: UInt64 = 0
    var inode: UInt64 = 0
}

/// An open network namespace.
package struct OpenNamespace: ~Copyable {
    /// The `netns_fd` of `struct reach_monitor_options`: -1 for the caller's own namespace.
    package let descriptor: CInt
    let identity: NamespaceIdentity
    /// The file of a namespace that isn't the caller's; it is watched, since it may be replaced.
    let path: String?

    /// Whether it is the namespace of the calling thread, which needs no privilege.
    var isCallers: Bool { identity == .current }

    package init(_ namespace: NetworkNamespace) throws(ReachabilityError) {
        guard let path = try namespace.file() else {
            descriptor = -1
            identity = NamespaceIdentity.current
            self.path = nil
            return
        }
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .namespace(namespace, .current) }
        // setns(2) fails later if the file isn't a network namespace. The ioctl that returns the type of a
        // namespace came with Linux 4.11.
        descriptor = file
        identity = NamespaceIdentity(file) ?? NamespaceIdentity()
        self.path = identity == .current ? nil : path
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}

extension NamespaceIdentity {
    fileprivate init?(_ file: CInt) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// The namespace of the calling thread: threads of a process can be in different ones.
    ///
    /// Without /proc, all threads count as being in the same one.
    fileprivate static var current: NamespaceIdentity { of("/proc/thread-self/ns/net") }

    /// The namespace of the main thread.
    static var process: NamespaceIdentity { of("/proc/self/ns/net") }

    private static func of(_ path: String) -> NamespaceIdentity {
        // stat() needs no descriptor, so this works when they have run out.
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return NamespaceIdentity() }
        return NamespaceIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}

extension NetworkNamespace {
    fileprivate func file() throws(ReachabilityError) -> String? {
        switch self {
        case .current: return nil
        case .named(let name):
            guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255,
                !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
            else { throw .invalidNamespace(self) }
            return "/run/netns/\(name)"
        case .path(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else { throw .invalidNamespace(self) }
            return path
        case .process(let process):
            guard process > 0 else { throw .invalidNamespace(self) }
            return "/proc/\(process)/ns/net"
        }
    }
}
#endif
