// SPDX-License-Identifier: MIT

public import NetworkReachability
internal import SystemBus

/// Why the modems cannot be known.
///
///     if let error = CellularRadio.shared.currentState().error {
///         print(error.code == .missingLibrary ? "install libsystemd0" : error.description)
///     }
///
/// ``description`` names the cause and what to do about it; ``code`` is for `switch` and `==`.
public struct CellularRadioError: Error, Hashable, Sendable {
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
        /// ModemManager refused to answer, or did not in time.
        public static let refused = Code(description: "refused")
        /// Memory, threads or file descriptors ran out.
        public static let outOfResources = Code(description: "outOfResources")
    }

    /// What went wrong.
    public let code: Code

    /// The error of the system call; nil if none was made.
    public let errno: ReachabilityErrno?

    /// The cause and what to do about it, in one line.
    public let description: String

    init(_ code: Code, errno: ReachabilityErrno?, _ description: String) {
        self.code = code
        self.errno = errno
        self.description = description
    }
}

extension CellularRadioError: CustomStringConvertible {}

extension CellularRadioError {
    init(_ failure: BusFailure) {
        let code: Code =
            switch failure.code {
            case .missingLibrary, .staticExecutable: .missingLibrary
            case .noBus: .noBus
            case .refused: .refused
            case .outOfResources: .outOfResources
            }
        self.init(
            code, errno: failure.errno,
            failure.description(
                of: "the modems", daemon: "ModemManager", name: "org.freedesktop.ModemManager1"))
    }
}
