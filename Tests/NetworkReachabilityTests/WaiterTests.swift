// SPDX-License-Identifier: MIT

import Testing

@testable import NetworkReachability

@Suite("The end of a wait")
struct WaiterTests {
    private let waiter = Waiter<ReachabilitySnapshot>(.internet) { $0.flags.contains(.reachable) }

    private func receive(_ flags: ReachabilityFlags) {
        _ = waiter.receive(
            ReachabilitySnapshot(flags: flags), in: MonitoringSession(receiver: waiter))
    }

    private func ending() async throws -> ReachabilityFlags {
        try await waiter.value().flags
    }

    @Test("After the timeout the first state still counts")
    func lateFirst() async throws {
        waiter.expire()
        receive(.reachable)
        #expect(try await ending() == .reachable)
    }

    @Test("After the timeout, a first state that isn't awaited ends the wait, and the error has it")
    func lateOther() async {
        waiter.expire()
        receive([])
        receive(.reachable)
        let error = await #expect(throws: ReachabilityError.self) { try await ending() }
        #expect(error?.code == .timedOut && error?.description.contains("Not Reachable") == true)
    }

    @Test("The timeout ends a wait whose states aren't the awaited one")
    func timeout() async {
        receive([])
        waiter.expire()
        receive(.reachable)
        let error = await #expect(throws: ReachabilityError.self) { try await ending() }
        #expect(error?.code == .timedOut)
    }

    @Test("The state of a name that isn't resolved yet ends no wait")
    func pending() async {
        let pending = ReachabilitySnapshot(flags: .reachable, resolution: .pending)
        _ = waiter.receive(pending, in: MonitoringSession(receiver: waiter))
        waiter.expire()
        let error = await #expect(throws: ReachabilityError.self) { try await ending() }
        #expect(error?.code == .timedOut)
    }

    @Test("An error of the monitor ends the wait with that error")
    func failure() async {
        let session = MonitoringSession(receiver: waiter)
        await inLoop { session.fail(.invalidArgument) }
        let error = await #expect(throws: ReachabilityError.self) { try await ending() }
        #expect(error?.errno == .invalidArgument)
    }

    @Test("A timeout after the awaited state changes nothing")
    func firstOutcome() async throws {
        receive(.reachable)
        waiter.expire()
        #expect(try await ending() == .reachable)
    }
}
