// SPDX-License-Identifier: MIT
import ReachLibc

/// The start of a line about an event: its time, or in the journal, which adds the time, its priority.
enum LineStart {
    /// A level of syslog (RFC 5424); the journal reads it from the start of a line (sd-daemon(3)).
    enum Priority: Int {
        case warning = 4
        case information = 6
    }

    static func of(_ priority: Priority, _ time: String) -> String {
        isJournal ? "<\(priority.rawValue)>" : "\(time)\t"
    }

    /// Whether standard output is the stream that systemd has connected to the journal (`JOURNAL_STREAM`,
    /// systemd.exec(5)).
    private static let isJournal: Bool = {
        guard let stream = unsafe getenv("JOURNAL_STREAM") else { return false }
        var file = stat()
        return unsafe fstat(STDOUT_FILENO, &file) == 0
            && String(cString: stream) == "\(file.st_dev):\(file.st_ino)"
    }()
}
