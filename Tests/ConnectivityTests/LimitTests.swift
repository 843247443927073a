// SPDX-License-Identifier: MIT
import CTestSupport
import Dispatch
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

/// Each test runs in its own process, so that no other test shares its limits and descriptors.
@Suite("Limits of the process", .timeLimit(.minutes(10)))
struct LimitTests {
    @Test("1,000 starts under a low limit don't pile up descriptors and threads")
    func manyStarts() async {
        await #expect(processExitsWith: .success) {
            let target = try ReachabilityTarget.address("127.0.0.1")
            let probes: [ConnectivityProbe] = [
                try .http("http://127.0.0.1:9/"), try .tcp(port: 9), .custom { _ in .full },
            ]
            func round(_ probe: ConnectivityProbe) async throws {
                let monitor = try ConnectivityMonitor(target: target, probe: probe)
                let listener = monitor.addListener(queue: .global()) { _ in }
                let level = await monitor.check().level
                precondition(level == .limited || level == .full)
                listener.cancel()
                monitor.addListener(queue: .global()) { _ in }.cancel()
            }
            for probe in probes { for _ in 0..<20 { try await round(probe) } }
            try await eventually { !threadNames().contains("reach-probe") }
            let (files, all) = (descriptorCount(), threadNames().count)
            limitDescriptors(to: rlim_t(files + 150))
            for count in 0..<1000 {
                // Nothing waits for the end of a round: under load, several rounds may be ending.
                try await eventually { descriptorCount() <= files + 20 }
                try await round(probes[count % probes.count])
            }
            try await eventually {
                descriptorCount() <= files + 2 && !threadNames().contains("reach-probe")
            }
            let names = threadNames()
            precondition(names.count { $0.hasPrefix("reach-") } <= 8, "\(names)")
            // libdispatch's own pool has 64 at most.
            precondition(names.count <= all + 64, "\(names)")
        }
    }

    @Test(
        "Without descriptors the level is unknown with a reason, and recovers once there are some"
    )
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let monitor = try ConnectivityMonitor(
                target: try .address("127.0.0.1"), probe: try .tcp(port: 9, timeout: .seconds(3600))
            )
            // Loads what reading /proc needs, and opens the descriptors of the process's loops.
            let level1 = await monitor.check().level
            precondition(level1 == .limited)
            let before = limitDescriptors(to: 256)
            // Enough for libdispatch, and too few for a probe, once earlier probes have closed theirs.
            func lowerLimit() {
                let next = dup(0)
                close(next)
                limitDescriptors(to: rlim_t(next + 8))
            }
            var state: ConnectivityState
            repeat {
                lowerLimit()
                state = await monitor.check()
            } while state.level == .limited
            precondition(state.level == .unknown, "\(state)")
            precondition(state.failure?.code == .outOfResources, "\(state)")
            precondition(state.failure?.description.isEmpty == false)
            var options = ConnectivityOptions()
            options.retryInterval = .milliseconds(20)
            let other = try ConnectivityMonitor(
                target: try .address("127.0.0.2"),
                probe: try .tcp(port: 9, timeout: .seconds(3600)), options: options)
            // Not its states: a descriptor that was open when the limit was lowered may be free for the probe after it,
            // whose state is the same as before.
            var probes = other.probes.makeAsyncIterator()
            var probe: ConnectivityProbeReport?
            repeat {
                lowerLimit()
                probe = await probes.next()
            } while probe?.failure?.code != .outOfResources
            limitDescriptors(to: before)
            repeat { probe = await probes.next() } while probe?.failure?.code == .outOfResources
            precondition(probe?.failure?.code == .notConnected, "\(String(describing: probe))")
        }
    }

    @Test("A lack of descriptors for the socket is not reported as a failed connection")
    func noSocket() async {
        await #expect(processExitsWith: .success) {
            let question = try HTTPQuestion(url: "http://127.0.0.1:9/", status: 204)
            let path = ProbePath(try .address("127.0.0.1"), .unknown, .seconds(60))
            limitDescriptors(to: 256)
            let wrong = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(returning: firstWrong(path, question))
                }
            }
            precondition(wrong == nil, "\(String(describing: wrong))")
        }
    }

    @Test(
        "If a mark may not be set, the level is unknown and the failure says what is missing",
        .enabled(if: geteuid() != 0 || canBecomeNobody, "needs another user to become"))
    func mark() async {
        await #expect(processExitsWith: .success) {
            if geteuid() == 0 { precondition(setuid(uid_t(TEST_NOBODY)) == 0) }
            let target = try ReachabilityTarget.address("127.0.0.1").with(mark: 7)
            for probe in [
                try ConnectivityProbe.patient("http://127.0.0.1:9/"),
                try .tcp(port: 9, timeout: .seconds(3600)),
            ] {
                let answer = await probe.run(target, .unknown)
                precondition(answer.level == .unknown, "\(answer)")
                precondition(answer.failure?.code == .notBound, "\(answer)")
                let text = answer.failure?.description ?? ""
                precondition(text.contains("CAP_NET_ADMIN"), text)
            }
        }
    }

    @Test("Times that no timer can have are limited to the nearest possible ones")
    func extremeTimes() async {
        await #expect(processExitsWith: .success) {
            let target = try ReachabilityTarget.address("127.0.0.1")
            let extremes: [Duration] = [
                .seconds(Int64.max), .seconds(Int64.max) * 2, .seconds(Int64.min), .zero,
            ]
            for time in extremes {
                var options = ConnectivityOptions()
                options.interval = time
                options.retryInterval = time
                options.debounceInterval = time
                for answer in [ConnectivityLevel.full, .limited] {
                    let monitor = try ConnectivityMonitor(
                        target: target, probe: .custom(timeout: .seconds(3600)) { _ in answer },
                        options: options)
                    let listener = monitor.addListener(queue: .global()) { _ in }
                    // The timer is set after the first answer.
                    for _ in 0..<2 {
                        let level = await monitor.check().level
                        precondition(level == answer)
                    }
                    listener.cancel()
                }
                let probe = ConnectivityProbe.custom(timeout: time) { _ in .full }
                let monitor = try ConnectivityMonitor(target: target, probe: probe)
                let level = await monitor.check().level
                precondition(time <= .zero || level == .full)
                _ = try? ConnectivityProbe.tcp(port: 9, timeout: time)
            }
        }
    }

    @Test("A child of fork() may use monitors, and does not disturb those of its parent")
    func child() async {
        await #expect(processExitsWith: .success) {
            let monitor = try ConnectivityMonitor(
                target: try .address("127.0.0.1"),
                probe: .custom(timeout: .seconds(3600)) { _ in .full })
            let listener = monitor.addListener(queue: .global()) { _ in }
            let level2 = await monitor.check().level
            precondition(level2 == .full)
            func useInChild() -> CInt {
                guard monitor.state == .unknown else { return 1 }
                monitor.addListener(queue: .global()) { _ in }.cancel()
                listener.cancel()
                _ = monitor.states.makeAsyncIterator()
                let own = try? ConnectivityMonitor(
                    target: .internet, probe: .custom(timeout: .seconds(3600)) { _ in .full })
                own?.addListener(queue: .global()) { _ in }.cancel()
                return 0
            }
            // Swift's runtime locks a table when a generic type conforms for the first time. The child
            // would wait for ever if another thread of the parent held that lock.
            _ = monitor.states.makeAsyncIterator()
            let pid = fork(useInChild)
            precondition(SwiftTestSupport.wait(for: pid) == 0)
            let level3 = await monitor.check().level
            precondition(level3 == .full)
            precondition(monitor.state.level == .full)
            listener.cancel()
        }
    }
}

/// The first answer that is neither a refused connection nor a lack of descriptors, if any.
///
/// Only this thread lacks descriptors: libdispatch ends the process if it can't open a file of /proc.
private func firstWrong(_ path: ProbePath, _ question: HTTPQuestion) -> String? {
    var ends: [CInt] = [-1, -1]
    guard (try? unshareDescriptors()) != nil, unsafe pipe(&ends) == 0 else { return "\(errno)" }
    func isRefused(_ answer: ProbeAnswer) -> Bool {
        answer.level == .limited
            && answer.failure?.errno == ReachabilityErrno(rawValue: ECONNREFUSED)
    }
    let first = path.ask(question, cancelledBy: ends[0]).answer
    guard isRefused(first) else { return "\(first)" }
    var filler: [CInt] = []
    while case let descriptor = dup(ends[1]), descriptor >= 0 { filler.append(descriptor) }
    for spare in 0..<20 {
        let answer = path.ask(question, cancelledBy: ends[0]).answer
        let isRight = spare > 0 && isRefused(answer) || answer.failure?.code == .outOfResources
        guard isRight, let last = filler.popLast() else { return "\(spare): \(answer)" }
        close(last)
    }
    return nil
}
