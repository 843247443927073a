// SPDX-License-Identifier: MIT
import NetworkReachability
import Testing

@testable import ReachabilityConnectivity

extension ScheduleTests {
    private func state(_ actions: [Action]) -> ConnectivityState? {
        actions.reduce(nil) { last, action in
            if case .publish(let state, _) = action { state } else { last }
        }
    }

    @Test("While the path over an interface changes, the level stays and isChecking is true")
    func checking() {
        var run = Run()
        let failure = ConnectivityFailure(.timedOut, "late")
        _ = run.handle(.interfaces(areUsable: true))
        _ = run.handle(.path(Self.online))
        _ = run.handle(.answer(ProbeAnswer(.limited, failure: failure), question: 1))
        #expect(
            state(run.handle(.path(Self.other)))
                == ConnectivityState(
                    level: .limited, snapshot: Self.other, isChecking: true, failure: failure))
        // Another value of the same path.
        let later = ReachabilitySnapshot(
            flags: .reachable, interface: Self.other.interface, gateway: Self.other.gateway,
            isMetered: true)
        #expect(state(run.handle(.path(later)))?.isChecking == true)
        _ = run.handle(.check)
        let full = state(run.answer(.full, to: 2))
        #expect(full?.level == .full && full?.isChecking == false)
        // Another interface has the level unknown, and this one has the level of its last probe.
        for name in ["wlan0", "eth0"] {
            let other = state(run.handle(.path(Self.snapshot(gateway: 1, over: name))))
            #expect(other?.level == (name == "eth0" ? .full : .unknown))
            #expect(other?.isChecking == true)
        }
        // After a time without a route the level is unknown, too: the network may be another one.
        let offline = state(run.handle(.path(Self.offline)))
        #expect(offline?.level == .local && offline?.isChecking == false)
        let back = state(run.handle(.path(Self.online)))
        #expect(back?.level == .unknown && back?.isChecking == true)
    }
}
