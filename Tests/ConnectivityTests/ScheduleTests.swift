// SPDX-License-Identifier: MIT
import NetworkReachability
import Testing

@testable import ReachabilityConnectivity

@Suite("The schedule of a monitor")
struct ScheduleTests {
    typealias Action = ProbeSchedule.Action

    static let online = snapshot(gateway: 1)
    static let other = snapshot(gateway: 2)
    static let offline = ReachabilitySnapshot(flags: [], reason: .noRoute)

    static func snapshot(
        _ flags: ReachabilityFlags = .reachable, gateway: UInt8, over name: String = "eth0",
        addresses: [NetworkAddress] = [],
        resolution: NameResolution = .notAName
    ) -> ReachabilitySnapshot {
        ReachabilitySnapshot(
            flags: flags, interface: .init(index: 2, name: name, interfaceClass: .wiredEthernet),
            gateway: NetworkAddress(ipv4: 192, 0, 2, gateway), addresses: addresses,
            resolution: resolution)
    }

    /// A schedule with the default intervals, and its clock.
    struct Run {
        var schedule = ProbeSchedule(ConnectivityOptions(), limit: nil)
        var now = Duration.seconds(1000)
        var random = 0.5

        mutating func handle(_ event: ProbeSchedule.Event) -> [Action] {
            schedule.handle(event, at: now, random: random)
        }

        mutating func answer(_ level: ConnectivityLevel, to question: Int) -> [Action] {
            handle(.answer(ProbeAnswer(level), question: question))
        }
    }

    private func timer(_ actions: [Action]) -> Duration? {
        actions.reduce(nil) { last, action in
            if case .setTimer(let due) = action { due } else { last }
        }
    }

    private func level(_ actions: [Action]) -> ConnectivityLevel? {
        actions.reduce(nil) { last, action in
            if case .publish(let state, _) = action { state.level } else { last }
        }
    }

    private func isAsked(_ actions: [Action]) -> Bool {
        actions.contains { if case .ask = $0 { true } else { false } }
    }

    @Test("The first probe starts at once, and the next one 300 s after a full answer")
    func full() {
        var run = Run()
        #expect(run.handle(.path(Self.online)) == [.ask(Self.online, question: 1), .setTimer(nil)])
        #expect(
            run.answer(.full, to: 1)
                == [
                    .publish(ConnectivityState(level: .full, snapshot: Self.online), isFinal: true),
                    .setTimer(.seconds(1300)),
                ])
        run.now = .seconds(1299)
        #expect(run.handle(.timer) == [.setTimer(.seconds(1300))])
        run.now = .seconds(1300)
        #expect(run.handle(.timer) == [.ask(Self.online, question: 2), .setTimer(nil)])
    }

    @Test("After a suspend of days, one probe starts")
    func suspend() {
        var run = Run()
        _ = run.handle(.path(Self.online))
        _ = run.answer(.full, to: 1)
        run.now += .seconds(200_000)
        #expect(isAsked(run.handle(.timer)))
        #expect(timer(run.answer(.full, to: 2)) == run.now + .seconds(300))
    }

    @Test("Retries back off from 5 s to the interval, and start over after a full answer")
    func backoff() {
        var run = Run()
        _ = run.handle(.path(Self.online))
        var waits: [Duration] = []
        for question in 1...9 {
            let due = timer(run.answer(.limited, to: question)) ?? .zero
            waits.append(due - run.now)
            run.now = due
            #expect(isAsked(run.handle(.timer)))
        }
        #expect(waits == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .seconds($0) })
        run.now = timer(run.answer(.full, to: 10)) ?? .zero
        _ = run.handle(.timer)
        #expect(timer(run.answer(.portal(url: nil), to: 11)) == run.now + .seconds(5))
    }

    @Test(
        "Jitter is up to 10 % in both directions", arguments: [(0.0, 270.0), (0.999_999_9, 330.0)])
    func jitter(random: Double, seconds: Double) {
        var run = Run()
        run.random = random
        _ = run.handle(.path(Self.online))
        let wait = (timer(run.answer(.full, to: 1)) ?? .zero) - run.now
        #expect(abs((wait - .seconds(seconds)) / .seconds(1)) < 0.001)
    }

    @Test("A new path cancels the probe, and a burst of changes leads to one probe")
    func change() {
        var run = Run()
        _ = run.handle(.path(Self.online))
        #expect(
            run.handle(.path(Self.other))
                == [.cancel, .setTimer(nil), .setTimer(run.now + .milliseconds(200))])
        #expect(run.answer(.full, to: 1).isEmpty)
        for step in 1...4 {
            run.now += .milliseconds(100)
            let actions = run.handle(.path(step % 2 == 0 ? Self.other : Self.online))
            #expect(!isAsked(actions) && timer(actions) == run.now + .milliseconds(200))
        }
        run.now += .milliseconds(200)
        #expect(run.handle(.timer) == [.ask(Self.other, question: 2), .setTimer(nil)])
        #expect(run.answer(.limited, to: 1).isEmpty && level(run.answer(.full, to: 2)) == .full)
        let actions = run.handle(.path(Self.online))
        #expect(!actions.contains { if case .publish(_, true) = $0 { true } else { false } })
    }

    @Test("A path that never stops changing is probed every two seconds")
    func flapping() {
        var run = Run()
        _ = run.handle(.path(Self.online))
        var asked = 0
        for step in 0..<400 {
            run.now += .milliseconds(50)
            let actions = run.handle(.path(step % 2 == 0 ? Self.other : Self.online))
            if let due = timer(actions), due <= run.now, isAsked(run.handle(.timer)) { asked += 1 }
        }
        #expect((8...11).contains(asked))
    }

    @Test("A snapshot with the same path is reported without a new probe")
    func samePath() {
        var run = Run()
        let addresses = [NetworkAddress(ipv4: 192, 0, 2, 8), NetworkAddress(ipv4: 192, 0, 2, 9)]
        let one = Self.snapshot(gateway: 1, addresses: addresses, resolution: .done)
        let two = Self.snapshot(gateway: 1, addresses: addresses.reversed(), resolution: .done)
        _ = run.handle(.path(one))
        _ = run.answer(.full, to: 1)
        #expect(
            run.handle(.path(two))
                == [.publish(ConnectivityState(level: .full, snapshot: two), isFinal: false)])
        #expect(run.handle(.path(two)).isEmpty)
        let fewer = Self.snapshot(gateway: 1, addresses: [addresses[0]], resolution: .done)
        #expect(timer(run.handle(.path(fewer))) != nil)
    }

    @Test("An unreachable target is not probed, and the interfaces decide between none and local")
    func unreachable() {
        var run = Run()
        #expect(run.handle(.path(Self.offline)).isEmpty)
        #expect(level(run.handle(.interfaces(areUsable: false))) == ConnectivityLevel.noNetwork)
        #expect(level(run.handle(.interfaces(areUsable: true))) == .local)
        #expect(run.handle(.timer).isEmpty)
        #expect(timer(run.handle(.path(Self.online))) == run.now + .milliseconds(200))
        run.now += .milliseconds(200)
        #expect(isAsked(run.handle(.timer)))
        let actions = run.handle(.path(Self.offline))
        #expect(actions.prefix(2) == [.cancel, .setTimer(nil)] && level(actions) == .local)
        #expect(run.answer(.full, to: 1).isEmpty)
    }

    @Test(
        "Nothing is probed if a packet would dial",
        arguments: [
            [.reachable, .connectionRequired],
            [.reachable, .transientConnection, .connectionRequired, .connectionOnTraffic, .isWWAN],
        ] as [ReachabilityFlags])
    func dialling(flags: ReachabilityFlags) {
        var run = Run()
        _ = run.handle(.interfaces(areUsable: true))
        let actions = run.handle(.path(Self.snapshot(flags, gateway: 1)))
        #expect(
            actions == [
                .publish(
                    ConnectivityState(
                        level: .local, snapshot: Self.snapshot(flags, gateway: 1),
                        failure: .connectionRequired), isFinal: true)
            ])
        #expect(!isAsked(run.handle(.check)))
        // A connected modem that would dial again if necessary is probed.
        let connected: ReachabilityFlags = [
            .reachable, .transientConnection, .connectionOnTraffic, .isWWAN,
        ]
        #expect(timer(run.handle(.path(Self.snapshot(connected, gateway: 1)))) != nil)
    }

    @Test("A name is not probed before it is resolved")
    func pending() {
        var run = Run()
        _ = run.handle(.interfaces(areUsable: true))
        let pending = Self.snapshot([], gateway: 1, resolution: .pending)
        #expect(run.handle(.path(pending)).isEmpty && run.handle(.check).isEmpty)
        let optimistic = Self.snapshot(gateway: 1, resolution: .pending)
        #expect(!isAsked(run.handle(.path(optimistic))))
        #expect(timer(run.handle(.path(Self.snapshot(gateway: 1, resolution: .done)))) != nil)
    }

    @Test("A probe that does not end by itself is cancelled at its limit")
    func timeout() {
        var run = Run()
        let limit = ProbeLimit(time: .seconds(3), answer: ProbeAnswer(.limited))
        run.schedule = ProbeSchedule(ConnectivityOptions(), limit: limit)
        #expect(timer(run.handle(.path(Self.online))) == .seconds(1003))
        run.now = .seconds(1002)
        #expect(run.handle(.timer) == [.setTimer(.seconds(1003))])
        run.now = .seconds(1003)
        let actions = run.handle(.timer)
        #expect(actions.first == .cancel && level(actions) == .limited)
        #expect(timer(actions) == .seconds(1008) && run.answer(.full, to: 1).isEmpty)
    }

    @Test("A check starts a probe, joins a running one, or reports a level without one")
    func check() {
        var run = Run()
        #expect(run.handle(.check).isEmpty)
        _ = run.handle(.path(Self.online))
        #expect(run.handle(.check).isEmpty)
        _ = run.answer(.full, to: 1)
        #expect(run.handle(.check) == [.ask(Self.online, question: 2), .setTimer(nil)])
        // The same answer is reported again, for the check.
        #expect(level(run.answer(.full, to: 2)) == .full)
        _ = run.handle(.path(Self.other))
        #expect(isAsked(run.handle(.check)))
        _ = run.handle(.interfaces(areUsable: false))
        _ = run.handle(.path(Self.offline))
        #expect(level(run.handle(.check)) == ConnectivityLevel.noNetwork)
    }

    @Test("A hint starts a probe at once, or after the running one")
    func hint() {
        var run = Run()
        #expect(run.handle(.hint).isEmpty)
        _ = run.handle(.path(Self.online))
        #expect(run.handle(.hint).isEmpty)
        let actions = run.answer(.limited, to: 1)
        #expect(level(actions) == .limited && actions.last == .setTimer(nil))
        #expect(isAsked(actions) && !isAsked(run.answer(.full, to: 2)))
        #expect(isAsked(run.handle(.hint)))
    }

    @Test("A failure of the monitor cancels the probe, and the next path is probed again")
    func failure() {
        var run = Run()
        let error = ReachabilityError(.outOfResources, errno: .tooManyOpenFiles, "too many")
        _ = run.handle(.path(Self.online))
        let state = ConnectivityState(level: .unknown, failure: .notMonitored(error))
        #expect(
            run.handle(.failed(error))
                == [.cancel, .setTimer(nil), .publish(state, isFinal: true)])
        #expect(run.handle(.check) == [.publish(state, isFinal: true)])
        #expect(run.answer(.full, to: 1).isEmpty && isAsked(run.handle(.path(Self.online))))
    }
}
