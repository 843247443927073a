// SPDX-License-Identifier: MIT

// One function per kind of bad input. All messages are in this file.

extension ReachabilityError {
    static func emptyName(_ input: String) -> ReachabilityError {
        let what = input.isEmpty ? "the name is empty" : "\(quoted(input)) has no host"
        return ReachabilityError(
            .emptyName, input: input, "\(what); give a host name such as www.example.com")
    }

    static func nameTooLong(_ input: String) -> ReachabilityError {
        ReachabilityError(
            .nameTooLong, input: input,
            "\(quoted(input)) is too long for a host name; "
                + "253 characters, and 63 between two dots, are allowed")
    }

    static func nameWithPort(_ input: String, host: some StringProtocol) -> ReachabilityError {
        ReachabilityError(
            .nameWithPort, input: input,
            "\(quoted(input)) has a port; reachability does not depend on ports, so give \(quoted(host))"
        )
    }

    static func invalidName(_ input: String, advice: String) -> ReachabilityError {
        ReachabilityError(
            .invalidName, input: input, "\(quoted(input)) is not a host name; \(advice)")
    }

    static func invalidAddress(_ input: String) -> ReachabilityError {
        ReachabilityError(
            .invalidAddress, input: input,
            "\(quoted(input)) is not a numeric address; "
                + "give one such as 192.0.2.1 or 2001:db8::1; names are not resolved here")
    }

    static func invalidAddress(byteCount: Int) -> ReachabilityError {
        ReachabilityError(
            .invalidAddress, input: "\(byteCount) bytes",
            "\(byteCount) bytes are not an address; give 4 for IPv4 or 16 for IPv6")
    }

    static func sockaddr(size: Int, errno: ReachabilityErrno) -> ReachabilityError {
        guard errno == .addressFamilyNotSupported else {
            return ReachabilityError(
                .invalidAddress, input: "\(size) bytes", errno: errno,
                "\(size) bytes are not a socket address; give a whole sockaddr_in or sockaddr_in6")
        }
        return ReachabilityError(
            .unsupportedFamily, input: "\(size) bytes", errno: errno,
            "the family of the socket address is neither AF_INET nor AF_INET6; give one of these")
    }

    static func unknownInterface(inAddress input: String) -> ReachabilityError {
        ReachabilityError(
            .unknownInterface, input: input, errno: .noSuchDevice,
            "\(quoted(input)) names an interface that does not exist; "
                + "see `ip link`, or give the index after the % sign")
    }

    static func invalidInterface(_ input: String) -> ReachabilityError {
        ReachabilityError(
            .invalidInterface, input: input,
            "\(quoted(input)) cannot be the name of an interface; "
                + "give 1 to 15 bytes without white space, slashes, or colons, such as eth0")
    }

    static func emptyAddressPair() -> ReachabilityError {
        ReachabilityError(
            .invalidTarget, "the local and the remote address are both missing; give one of them")
    }

    static func otherFamily(
        _ family: NetworkAddress.Family, than target: ReachabilityTarget
    ) -> ReachabilityError {
        let name = family == .ipv4 ? "IPv4" : "IPv6"
        return ReachabilityError(
            .invalidTarget, input: target.description,
            "\(quoted(target.description)) is not \(name); "
                + "give an \(name) address, a name, or the internet")
    }

    /// The error for a target that C rejects; `input` is what was given for it.
    static func invalidTarget(
        _ target: ReachabilityTarget, _ errno: ReachabilityErrno, given input: String? = nil
    ) -> ReachabilityError {
        let input = input ?? target.description
        switch errno {
        case .nameTooLong: return .nameTooLong(input)
        case .destinationRequired: return .emptyName(input)
        case .illegalBytes:
            return .invalidName(input, advice: "write letters other than a to z in their xn-- form")
        case .addressFamilyNotSupported:
            return ReachabilityError(
                .unsupportedFamily, input: input, errno: errno,
                "the address of \(quoted(input)) is neither IPv4 nor IPv6; give one that is")
        case .invalidArgument:
            if case .domain = target.kind {
                return .invalidName(
                    input, advice: "use letters, digits, '-', '_', and single dots between them")
            }
            return ReachabilityError(
                .invalidTarget, input: input, errno: errno,
                "the parts of \(quoted(input)) contradict each other; "
                    + "addresses must be of one family, and an interface can be given once")
        default: return .system(errno, input: input, doing: "adding \(quoted(input))")
        }
    }
}

extension ReachabilityError {
    /// The text ends with the last state of the target, which says why.
    package static func timedOut(
        waitingFor target: ReachabilityTarget, in state: some CustomStringConvertible
    ) -> ReachabilityError {
        let input = target.description
        return ReachabilityError(
            .timedOut, input: input,
            "timed out waiting for \(quoted(input)), whose state is: \(state)")
    }

    package static func cancelled(waitingFor target: ReachabilityTarget) -> ReachabilityError {
        let input = target.description
        return ReachabilityError(
            .cancelled, input: input, "the task that waited for \(quoted(input)) was cancelled")
    }
}

extension ReachabilityError {
    static func invalidNamespace(_ namespace: NetworkNamespace) -> ReachabilityError {
        ReachabilityError(
            .invalidNamespace, input: namespace.description,
            "\(quoted(namespace.description)) cannot name a network namespace; "
                + "give a name as `ip netns list` shows it, a path, or a process id above 0")
    }

    static func namespace(_ namespace: NetworkNamespace, _ errno: ReachabilityErrno)
        -> ReachabilityError
    {
        let name = quoted(namespace.description)
        switch errno {
        case .noSuchFile, .noSuchProcess:
            return ReachabilityError(
                .namespaceNotFound, input: namespace.description, errno: errno,
                "there is no network namespace \(name); see `ip netns list` or `lsns -t net`")
        case .notPermitted, .permissionDenied:
            return ReachabilityError(
                .notPermitted, input: namespace.description, errno: errno,
                "entering the network namespace \(name) is not permitted; "
                    + "run as root or with CAP_SYS_ADMIN and, for another user's process, CAP_SYS_PTRACE"
            )
        case .invalidArgument:
            return ReachabilityError(
                .notANamespace, input: namespace.description, errno: errno,
                "\(name) is not a network namespace; "
                    + "give a file such as /run/netns/NAME or /proc/PID/ns/net")
        default:
            return .system(
                errno, input: namespace.description, doing: "opening the namespace \(name)")
        }
    }

    static func monitor(_ errno: ReachabilityErrno, in namespace: NetworkNamespace)
        -> ReachabilityError
    {
        switch errno {
        case .notPermitted, .permissionDenied, .invalidArgument:
            guard namespace == .current else { return .namespace(namespace, errno) }
        default: break
        }
        switch errno {
        case .notPermitted: return .refused(errno, by: "seccomp (Docker, Flatpak)", "its profile")
        case .permissionDenied:
            return .refused(
                errno, by: "AppArmor, SELinux, or snap",
                "its profile (`network netlink raw,`, the plug network-observe)")
        case .addressFamilyNotSupported:
            return .refused(
                errno, by: "systemd or seccomp", "RestrictAddressFamilies= or the profile")
        case .protocolNotSupported:
            return .refused(errno, by: "firejail", "--protocol=unix,inet,inet6,netlink")
        case .notImplemented:
            return .refused(errno, by: "seccomp or the kernel", "the profile, or build CONFIG_NET")
        case .notSupported:
            return ReachabilityError(
                .watchingUnsupported, input: namespace == .current ? nil : namespace.description,
                errno: errno,
                "monitoring is not possible here: the sandbox (gVisor?) refuses rtnetlink's multicast "
                    + "groups; allow NETLINK_ADD_MEMBERSHIP in it, or query states one by one")
        default: break
        }
        return .system(errno, doing: "opening the monitor")
    }

    /// A sandbox refuses rtnetlink sockets, unless `place` allows them.
    private static func refused(
        _ errno: ReachabilityErrno, by sandbox: String, _ place: String
    ) -> ReachabilityError {
        let isPermission = errno == .notPermitted || errno == .permissionDenied
        return ReachabilityError(
            isPermission ? .notPermitted : .unsupportedByKernel, errno: errno,
            "\(sandbox) refuses rtnetlink sockets here (\(errno)); allow AF_NETLINK in \(place)")
    }

    package static func system(
        _ errno: ReachabilityErrno, input: String? = nil, doing what: String
    ) -> ReachabilityError {
        switch errno {
        case .stale:
            ReachabilityError(
                .namespaceReplaced, input: input, errno: errno,
                "the monitored network namespace was deleted or replaced, or its process ended; "
                    + "start again to monitor its successor")
        case .outOfMemory, .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            ReachabilityError(
                .outOfResources, input: input, errno: errno,
                "\(what) failed: \(errno); free some, or raise the limit (`ulimit -n` for files)")
        case .tryAgain:
            ReachabilityError(
                .outOfResources, input: input, errno: errno,
                "\(what) failed: there are too many threads; "
                    + "raise the limit (`ulimit -u`, or TasksMax= of systemd)")
        case .notPermitted, .permissionDenied:
            ReachabilityError(
                .notPermitted, input: input, errno: errno,
                "\(what) is not permitted: \(errno); check the sandbox or security module")
        default:
            ReachabilityError(
                .system, input: input, errno: errno, "\(what) failed: \(errno) (\(errno.rawValue))")
        }
    }
}

/// Quotes `text` in one line: limited to 80 characters, with control characters escaped.
func quoted(_ text: some StringProtocol) -> String {
    let limit = 80
    var result = "'"
    for scalar in text.unicodeScalars.prefix(limit) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
            result += scalar.escaped(asASCII: true)
        default:
            result.unicodeScalars.append(scalar)
        }
    }
    return result + (text.unicodeScalars.count > limit ? "…'" : "'")
}
