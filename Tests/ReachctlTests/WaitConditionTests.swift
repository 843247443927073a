// SPDX-License-Identifier: MIT
import NetworkReachability
import Testing

@testable import reachctl

@Suite("The condition of a wait")
struct WaitConditionTests {
    private static let up = ReachabilitySnapshot(flags: .reachable)
    private static let down = ReachabilitySnapshot(flags: [], reason: .noRoute)
    private static let dialing = ReachabilitySnapshot(flags: [.reachable, .connectionRequired])
    /// The snapshot of an optimistic name until it is resolved.
    private static let pending = ReachabilitySnapshot(flags: .reachable, resolution: .pending)

    private func condition(
        _ states: [ReachabilitySnapshot?], any: Bool = false, unreachable: Bool = false,
        stable: Int64 = 0, end: Int64? = nil
    ) -> WaitCondition {
        var condition = WaitCondition(
            count: states.count, any: any, unreachable: unreachable, stable: stable, end: end)
        condition.snapshots = states
        return condition
    }

    @Test("With --connectivity, the server must answer, too, for the whole stable time")
    func connectivity() {
        var condition = condition([Self.up], stable: 100, end: 1000)
        condition.isConnected = false
        #expect(condition.step(0) == .wait(until: 1000))
        #expect(condition.unmet == [])
        condition.isConnected = true
        #expect(condition.step(50) == .wait(until: 150))
        condition.isConnected = false
        #expect(condition.step(150) == .wait(until: 1000))
        condition.isConnected = true
        #expect(condition.step(200) == .wait(until: 300))
        #expect(condition.step(300) == .reached)
        condition.snapshots = [Self.down]
        #expect(condition.step(1000) == .timedOut)
    }

    @Test("With --any, other targets are not waited for once only the server is missing")
    func connectivityOfAny() {
        var condition = condition([Self.up, Self.down], any: true)
        condition.isConnected = false
        #expect(condition.step(0) == .wait(until: nil))
        #expect(condition.unmet == [])
    }

    @Test("All targets or any, reachable or not")
    func combinations() {
        let cases:
            [(states: [ReachabilitySnapshot?], all: Bool, any: Bool, none: Bool, one: Bool)] = [
                ([Self.up], true, true, false, false),
                ([Self.down], false, false, true, true),
                ([Self.dialing], false, false, true, true),
                ([Self.up, Self.up], true, true, false, false),
                ([Self.up, Self.down], false, true, false, true),
                ([Self.down, Self.down], false, false, true, true),
                ([Self.up, nil], false, true, false, false),
                ([Self.down, Self.pending], false, false, false, true),
                ([Self.up, Self.pending], false, true, false, false),
                ([Self.pending], false, false, false, false), ([nil], false, false, false, false),
            ]
        for (states, all, any, none, one) in cases {
            func reaches(any: Bool, unreachable: Bool) -> Bool {
                var condition = condition(states, any: any, unreachable: unreachable)
                return condition.step(0) == .reached
            }
            #expect(reaches(any: false, unreachable: false) == all, "\(states)")
            #expect(reaches(any: true, unreachable: false) == any, "\(states)")
            #expect(reaches(any: false, unreachable: true) == none, "\(states)")
            #expect(reaches(any: true, unreachable: true) == one, "\(states)")
        }
    }

    @Test("A wait times out only when every target has a state")
    func timeout() {
        var condition = condition([Self.down, nil], end: 10)
        #expect(condition.step(0) == .wait(until: nil))
        #expect(condition.step(20) == .wait(until: nil))
        condition.snapshots[1] = Self.pending
        #expect(condition.step(5) == .wait(until: 10))
        #expect(condition.step(10) == .timedOut)
        // The state at the end counts.
        condition.snapshots = [Self.up, Self.up]
        #expect(condition.step(10) == .reached)
    }

    @Test("An interruption restarts the stable time")
    func stability() {
        var condition = condition([Self.up], stable: 100, end: 1000)
        #expect(condition.step(0) == .wait(until: 100))
        #expect(condition.step(99) == .wait(until: 100))
        condition.snapshots = [Self.down]
        #expect(condition.step(99) == .wait(until: 1000))
        condition.snapshots = [Self.up]
        #expect(condition.step(100) == .wait(until: 200))
        #expect(condition.step(200) == .reached)
    }

    @Test("A wait whose stable time exceeds its timeout times out")
    func tooLong() {
        var condition = condition([Self.up], stable: 100, end: 50)
        #expect(condition.step(0) == .wait(until: 50))
        #expect(condition.step(50) == .timedOut)
    }

    @Test("With --any, another target may take over during the stable time")
    func handover() {
        var condition = condition([Self.up, Self.down], any: true, stable: 100)
        #expect(condition.step(0) == .wait(until: 100))
        condition.snapshots = [Self.down, Self.up]
        #expect(condition.step(60) == .wait(until: 100))
        #expect(condition.step(100) == .reached)
    }
}

@Suite("The events of targets")
struct InboxTests {
    @Test("The first states come together, in the order of the targets, and each is the newest")
    func firstStates() throws {
        let inbox = try Inbox(targets: 2)
        let flags: [ReachabilityFlags] = [.reachable, [], .isWWAN]
        let states = flags.map { ReachabilitySnapshot(flags: $0) }
        func take() -> [ReachabilityFlags] {
            inbox.take().compactMap { event in
                if case .state(_, let state) = event { state.flags } else { nil }
            }
        }
        for state in states { inbox.put(.state(1, state)) }
        #expect(take() == [])
        inbox.put(.state(0, states[1]))
        #expect(take() == [[], .isWWAN])
        inbox.put(.state(1, states[0]))
        #expect(take() == [.reachable] && take() == [])
    }
}

@Suite("Mistyped words")
struct SuggestionTests {
    @Test(
        "For a mistyped word, the nearest command is suggested",
        arguments: [
            ("statsu", "status"), ("stat", "status"), ("s", "status"), ("Status", "status"),
            ("wait", "wait"), ("wiat", "wait"), ("wacth", "watch"), ("interface", "interfaces"),
            ("w", nil), ("xyz", nil), ("www.example.com", nil), ("", nil),
        ])
    func suggestions(word: String, command: String?) {
        let commands = ["status", "watch", "wait", "interfaces", "flags", "decode", "help"]
        #expect(nearest(to: word, among: commands) == command)
    }
}
