// SPDX-License-Identifier: MIT
// Parses the input as arguments of `reachctl`, separated by NUL. The result must be a command or a
// usage error.
import ArgumentParser

@testable import reachctl

private func parse(_ words: [String]) {
    do {
        let command = try Reachctl.parseAsRoot(words)
        if let options = targetOptions(of: command), options.targetsFrom == nil {
            _ = try options.resolved()
        }
    } catch let failure as Failure {
        require(failure.status, failure.message, words)
    } catch {
        require(Reachctl.exitCode(for: error), retold(Reachctl.message(for: error)), words)
    }
}

private func require(_ status: ExitCode, _ message: String, _ words: [String]) {
    precondition([0, 64].contains(status.rawValue), "status \(status) for \(words)")
    precondition(!message.isEmpty, "no message for \(words)")
}

private func targetOptions(of command: any ParsableCommand) -> TargetOptions? {
    switch command {
    case let status as Status: status.options
    case let watch as Watch: watch.options
    case let wait as Wait: wait.options
    case let explain as Explain: explain.options
    default: nil
    }
}

/// libFuzzer's entry point.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = unsafe UnsafeBufferPointer(start: bytes, count: size)
    parse(
        unsafe input.split(separator: 0, omittingEmptySubsequences: false)
            .map { unsafe String(decoding: $0, as: UTF8.self) })
    return 0
}
