// SPDX-License-Identifier: MIT
import Glibc

/// A network namespace given on the command line, opened.
struct Namespace: ~Copyable {
    /// The text it was given as.
    let text: String
    private let descriptor: Descriptor

    /// NS_GET_NSTYPE of linux/nsfs.h: _IO(0xb7, 3).
    private static let typeRequest: UInt = 0xb703

    /// CLONE_NEWNET of linux/sched.h.
    private static let networkType: Int32 = 0x4000_0000

    /// The descriptor, for reach_monitor_open().
    var number: Int32 { descriptor.number }

    /// Opens the namespace: a path if there is a slash in `text`, a process if it is all digits, else
    /// a name as `ip netns` knows it.
    init(_ text: String) throws(Failure) {
        let (path, mend) = Namespace.path(text)
        let descriptor: Descriptor
        do {
            descriptor = try Descriptor(reading: path)
        } catch {
            throw .system(
                "cannot open network namespace '\(text)'", error.errno,
                mend: error.errno == EACCES ? Failure.privilege : mend)
        }
        let type = ioctl(descriptor.number, Namespace.typeRequest, 0)
        guard type == Namespace.networkType else {
            throw .system("'\(text)' is no network namespace", EINVAL, mend: mend)
        }
        self.text = text
        self.descriptor = descriptor
    }

    private static func path(_ text: String) -> (path: String, mend: String) {
        if text.contains("/") {
            return (text, "give the path of a network namespace, such as /proc/PID/ns/net")
        }
        if !text.isEmpty && text.utf8.allSatisfy({ (48...57).contains($0) }) {
            let mend =
                "is that process there, and yours? A namespace with this name is /run/netns/\(text)"
            return ("/proc/\(text)/ns/net", mend)
        }
        return ("/run/netns/\(text)", "'ip netns list' lists the names")
    }
}
