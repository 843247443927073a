// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Synchronization
import Testing

@Suite(.blocking, .needsNamespaces, .timeLimit(.minutes(10)))
struct SuspendTests {
    @Test(
        "A resume, seen as a jump of the clock, repeats all lookups and publishes nothing",
        .needs(Features.clock, "permission to set the clock"))
    func resume() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.address("192.0.2.1"), expecting: .reachable)
        try watcher.expectNoChange()
        try watcher.awaitRest()
        let before = try watcher.stats().lookups
        _ = try machineClock.withLock { _ in
            try SystemFailure.check("clock_settime", test_clock_touch())
        }
        let deadline = monotonicSeconds() + Watcher.patience
        while try watcher.stats().lookups <= before, monotonicSeconds() < deadline {
            guard waitReadable(watcher.descriptor, until: deadline) else { break }
            try watcher.dispatch()
        }
        #expect(try watcher.stats().lookups > before)
        try watcher.expectNoChange()
        #expect(try watcher.state(id).flags == .reachable)
    }
}
