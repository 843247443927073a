// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import ReachabilityConnectivity

/// Each test runs in its own process, which has all turns to itself.
@Suite("Turns of probes", .needsNamespaces, .timeLimit(.minutes(10)))
struct TurnTests {
    @Test("From the 65th on, probes wait for a turn, and a waiting probe can be cancelled")
    func waits() async {
        await #expect(processExitsWith: .success) {
            let networks = try Networks()
            let server = try Server(in: networks.first, .hang)
            let target = networks.target
            let probe = try ConnectivityProbe.patient("http://10.9.0.2:\(server.port)/")
            let first = (0..<64).map { _ in hung(probe, target) }
            try await eventually { server.requests.values.count == 64 }
            server.behave(.answer(http(204)))
            let gone = Task { await probe.run(target, .unknown) }
            let late = (0..<10).map { _ in Task { await probe.run(target, .unknown) } }
            try await eventually { ProbeTurns.addresses.waiting == 11 }
            gone.cancel()
            let cancelled = await gone.value
            precondition(cancelled.failure?.code == .cancelled, "\(cancelled)")
            precondition(ProbeTurns.addresses.waiting == 10)
            precondition(server.requests.values.count == 64)
            first[0].cancel()
            for task in late {
                let answer = await task.value
                precondition(answer.level == .full, "\(answer)")
            }
            precondition(server.requests.values.count == 74)
            for task in first { task.cancel() }
            for task in first { await task.value }
            try await eventually { !threadNames().contains("reach-probe") }
        }
    }

    @Test("A probe that lacks descriptors waits until another probe ends")
    func fewDescriptors() async {
        await #expect(processExitsWith: .success) {
            let networks = try Networks()
            let server = try Server(in: networks.first, .hang)
            let target = networks.target
            let probe = try ConnectivityProbe.patient("http://10.9.0.2:\(server.port)/")
            // Loads libcurl.
            let warm = hung(probe, target)
            _ = await server.requests.next()
            warm.cancel()
            await warm.value
            try await eventually { !threadNames().contains("reach-probe") }
            let first = hung(probe, target)
            _ = await server.requests.next()
            server.behave(.answer(http(204)))
            // The second of two probes needs 24 descriptors, and a single one 16.
            let next = dup(0)
            close(next)
            let before = limitDescriptors(to: rlim_t(next + 20))
            let second = Task { await probe.run(target, .unknown) }
            try await eventually { ProbeTurns.addresses.waiting == 1 }
            first.cancel()
            let answer = await second.value
            limitDescriptors(to: before)
            precondition(answer.level == .full, "\(answer)")
        }
    }

    @Test("Resolutions that hang don't pile up threads, and don't delay probes of addresses")
    func lookups() async {
        await #expect(processExitsWith: .success) {
            func count() -> Int { threadNames().count { $0 == "reach-probe" } }
            let networks = try Networks()
            let server = try Server(in: networks.first, .answer(http(204)))
            // Packets to the name server are lost in the first network.
            let probe = try ConnectivityProbe.patient("http://www.example.com/")
            let target = networks.target
            // Of one family, because libcurl 8.23 has a thread for each.
            let inet = try target.with(family: .ipv4)
            for _ in 0..<4 {
                let answers = Recorder<ProbeAnswer>()
                let tasks = (0..<100).map { _ in
                    Task { answers.record(await probe.run(inet, .unknown)) }
                }
                try await eventually { count() >= 64 || answers.values.count == tasks.count }
                for task in tasks { task.cancel() }
                for task in tasks { await task.value }
            }
            // Each probe has a thread of its own and one of libcurl's.
            let most = count()
            precondition(most <= 128, "\(most)")
            let literal = try ConnectivityProbe.patient("http://10.9.0.2:\(server.port)/")
            let zoned = try ConnectivityProbe.patient("http://[fd00:9::2]:\(server.port)/")
            for probe in [
                literal, zoned, try .tcp(port: Int(server.port), timeout: .seconds(3600)),
            ] {
                let snapshot = ReachabilitySnapshot(
                    flags: .reachable, addresses: [try NetworkAddress("10.9.0.2")])
                let answer = await probe.run(target, snapshot)
                precondition(answer.level == .full, "\(answer)")
            }
        }
    }

    @Test("If resolutions that hang take all turns, a name is unknown and the failure says so")
    func hanging() async {
        await #expect(processExitsWith: .success) {
            let turns = ProbeTurns()
            let answers = Recorder<ProbeAnswer>()
            let release = DispatchSemaphore(value: 0)
            // These probes have answered, but their resolutions go on.
            func hang() -> Task<Void, Never> {
                Task {
                    answers.record(
                        await ProbeCall.run(in: turns) { _ in
                            ProbeOutcome(answer: ProbeAnswer(.limited), isLookingUp: true) {
                                release.wait()
                            }
                        })
                }
            }
            for _ in 0..<ProbeTurns.most { _ = hang() }
            try await eventually { answers.values.count == ProbeTurns.most }
            let refused = await ProbeCall.run(in: turns) { _ in
                ProbeOutcome(answer: ProbeAnswer(.full))
            }
            precondition(refused.level == .unknown, "\(refused)")
            precondition(refused.failure?.code == .nameNotResolved, "\(refused)")
            let text = refused.failure?.description ?? ""
            precondition(text.contains("name servers") && !text.contains("limits"), text)
            for _ in 0..<ProbeTurns.most { release.signal() }
            var answer: ProbeAnswer
            repeat {
                answer = await ProbeCall.run(in: turns) { _ in
                    ProbeOutcome(answer: ProbeAnswer(.full))
                }
            } while answer == refused
            precondition(answer.level == .full, "\(answer)")
        }
    }
}

/// Probes a server that hangs, until the task is cancelled.
private func hung(_ probe: ConnectivityProbe, _ target: ReachabilityTarget) -> Task<Void, Never> {
    Task {
        let answer = await probe.run(target, .unknown)
        precondition(answer.failure?.code == .cancelled, "\(answer)")
    }
}
