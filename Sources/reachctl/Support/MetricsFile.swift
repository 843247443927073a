// SPDX-License-Identifier: MIT
import NetworkReachability
import ReachabilityConnectivity
import ReachLibc

/// The file of `watch --prometheus`: the newest states, as node_exporter's textfile collector reads them.
struct MetricsFile {
    private struct Series {
        /// The target, escaped; nil if it was given before, since a file may have a series only once.
        let target: String?
        var snapshot: ReachabilitySnapshot?
        var changes = 0
    }

    private let path: String
    private var series: [Series]
    private var connectivity: ConnectivityState?
    /// When to write next, in milliseconds of CLOCK_MONOTONIC; nil if the file has the newest states.
    private(set) var due: Int64?
    /// When the file was last written, or couldn't be.
    private var last: Int64 = 0
    private var isFailing = false
    /// The file that was written last, open so that nobody else's gets its inode; or -1.
    private var written: Int32 = -1

    /// The shortest time between two writes, in milliseconds.
    ///
    /// Prometheus asks every 15 seconds, or less often.
    private static let interval: Int64 = 1000

    /// When to try again after an error, if no state changes sooner.
    private static let pause: Int64 = 60000

    /// Writes a file without states, so that none of an earlier process stays.
    init(_ path: String, of targets: [String]) throws(Failure) {
        guard path.hasSuffix(".prom") else {
            throw .usage(
                "'\(path)' does not end in .prom, so node_exporter would ignore it; give '\(path.isEmpty ? "reach" : path).prom'"
            )
        }
        self.path = path
        var known: Set<String> = []
        series = targets.map {
            Series(target: known.insert($0).inserted ? $0.labelValue : nil)
        }
        do {
            try write()
        } catch {
            remove()
            throw error
        }
    }

    mutating func take(_ event: Inbox.Event) {
        switch event {
        case .state(let position, let snapshot):
            if series[position].snapshot != nil { series[position].changes += 1 }
            series[position].snapshot = snapshot
        case .connectivity(let state): connectivity = state
        case .failure, .radio: return
        }
        due = last + MetricsFile.interval
    }

    /// Writes the newest states if that is due, and returns the first of several errors.
    mutating func writeIfDue(at now: Int64 = monotonicMilliseconds()) -> Failure? {
        guard let time = due, time <= now else { return nil }
        last = now
        do throws(Failure) {
            try write()
            due = nil
            isFailing = false
            return nil
        } catch {
            due = now + MetricsFile.pause
            // No states are better than old ones.
            remove()
            defer { isFailing = true }
            return isFailing ? nil : error
        }
    }

    private func remove() {
        unsafe unlink(path)
    }

    /// Removes the file, unless it is of a process that was started before this one has ended.
    func end() {
        if MetricsFile.isLinked(written) { remove() }
    }

    /// Writes another file, and renames it, so that nobody reads a part.
    private mutating func write() throws(Failure) {
        let name = "\(path).tmp"
        let (file, lock) = MetricsFile.create(name)
        var error = file < 0 ? -file : writeAll(text, to: file)
        if file >= 0 {
            // Not by the umask: node_exporter runs as another user.
            if error == 0, fchmod(file, 0o644) != 0 { error = errno }
            if close(file) != 0, error == 0 { error = errno }
            if error == 0, unsafe rename(name, path) != 0 { error = errno }
            if error != 0 { unsafe unlink(name) }
        }
        if error != 0 { close(lock) }
        close(written)
        written = error == 0 ? lock : -1
        guard error == 0 else {
            throw .system(
                "cannot write '\(path)', whose folder must exist, have room, and let this user write",
                error)
        }
    }

    /// Creates a file in the place of one that a killed process has left; returns its descriptor, or a negative errno.
    ///
    /// Another descriptor has a lock, which tells it from such a file until it is renamed. Links aren't followed: others
    /// may write to the folder, too.
    private static func create(_ name: String) -> (file: Int32, lock: Int32) {
        for _ in 0..<2 {
            let file = unsafe open(
                name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0 || errno == EEXIST else { return (-errno, -1) }
            let other = unsafe open(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            let isFree = other < 0 || lock(other)
            if isFree, file >= 0, isLinked(file) { return (file, other) }
            close(other)
            if file >= 0 { close(file) }
            guard isFree, file < 0 else { return (-EAGAIN, -1) }
            unsafe unlink(name)
        }
        return (-EEXIST, -1)
    }

    /// False if another process has removed the file, before it was locked.
    private static func isLinked(_ file: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(file, &status) == 0 && status.st_nlink > 0
    }

    /// False if another process has the lock; some file systems have none.
    private static func lock(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// The text format of Prometheus, version 0.0.4.
    private var text: String {
        var (reachable, info, changes) = ("", "", "")
        for series in series {
            guard let target = series.target, let snapshot = series.snapshot else { continue }
            let name = snapshot.interface?.name.labelValue ?? ""
            let kind = snapshot.interface?.interfaceClass.rawValue ?? ""
            let reason = snapshot.reason.isFailure ? snapshot.reason.rawValue : ""
            reachable +=
                "network_reachable{target=\"\(target)\"} \(snapshot.status.isReachable ? 1 : 0)\n"
            info += "network_reachability_info{target=\"\(target)\",interface=\"\(name)\""
            info += ",class=\"\(kind)\",reason=\"\(reason)\"} 1\n"
            changes +=
                "network_reachability_changes_total{target=\"\(target)\"} \(series.changes)\n"
        }
        var probe = ""
        if let target = series[0].target, let connectivity {
            probe = """
                # HELP network_connectivity_full Whether the server of --connectivity answered as expected.
                # TYPE network_connectivity_full gauge
                network_connectivity_full{target="\(target)"} \(connectivity.level == .full ? 1 : 0)

                """
        }
        return """
            # HELP network_reachable Whether this host can send packets to the target.
            # TYPE network_reachable gauge
            \(reachable)\
            # HELP network_reachability_info The interface to the target and its class, or why there is none.
            # TYPE network_reachability_info gauge
            \(info)\
            # HELP network_reachability_changes_total Changes of the target's state since the start.
            # TYPE network_reachability_changes_total counter
            \(changes)\(probe)
            """
    }
}

extension String {
    /// The text as the value of a label, by scalars: a quote with an accent is one character of Swift.
    var labelValue: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\", "\"": result += "\\\(scalar)"
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
