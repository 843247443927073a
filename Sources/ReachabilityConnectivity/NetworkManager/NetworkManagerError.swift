// SPDX-License-Identifier: MIT

public import NetworkReachability
internal import SystemBus

/// Why NetworkManager cannot be asked.
///
///     if let error = NetworkManager.shared.currentState().error {
///         print(error.code == .missingLibrary ? "install libsystemd0" : error.description)
///     }
///
/// ``description`` names the cause and what to do about it; ``code`` is for `switch` and `==`.
public struct NetworkManagerError: Error, Hashable, Sendable {
    /// What went wrong.
    ///
    /// New codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, for example `missingLibrary`.
        public let description: String

        /// `libsystemd.so.0` is not installed, or the program is a static executable.
        public static let missingLibrary = Code(description: "missingLibrary")
        /// The bus cannot be reached, or the connection to it ended.
        public static let noBus = Code(description: "noBus")
        /// NetworkManager refused to answer, or did not in time.
        public static let refused = Code(description: "refused")
        /// Memory, threads or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
    }

    /// What went wrong.
    public let code: Code

    /// The error of the system call.
    public let errno: ReachabilityErrno

    /// The cause and what to do about it, in one line.
    public let description: String

    init(_ failure: BusFailure) {
        code =
            switch failure.code {
            case .missingLibrary, .staticExecutable: .missingLibrary
            case .noBus: .noBus
            case .refused: .refused
            case .outOfResources: .outOfResources
            }
        errno = failure.errno
        description = failure.description(
            of: "the network", daemon: "NetworkManager", name: "org.freedesktop.NetworkManager")
    }
}

extension NetworkManagerError: CustomStringConvertible {}
