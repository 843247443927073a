// SPDX-License-Identifier: MIT
import CReach
import CTestSupport
import Glibc
import Testing

@safe private struct Question {
    let target: reach_target
    let options: reach_monitor_options
    var state = reach_state()
}

/// The state that `reach_check()` returns to the user `uid`; 0 is the user who runs the tests.
func check(_ target: Target, in namespace: Namespace, uid: uid_t = 0) throws -> State {
    var options = unsafe reach_monitor_options()
    unsafe reach_monitor_options_init(&options)
    // Only root may enter a namespace. For another user, test_netns_run() enters it first.
    if uid == 0 { unsafe options.netns_fd = namespace.descriptor }
    return try unsafe target.withC { target in
        var question = unsafe Question(target: target, options: options)
        let result = unsafe test_netns_run(
            uid == 0 ? -1 : namespace.descriptor, uid,
            { context in
                guard let question = unsafe context?.assumingMemoryBound(to: Question.self) else {
                    return -EINVAL
                }
                var (target, options) = unsafe (question.pointee.target, question.pointee.options)
                var state = reach_state()
                state.size = MemoryLayout<reach_state>.size
                let result = unsafe reach_check(&target, &options, 0, &state)
                unsafe question.pointee.state = state
                return result
            }, &question)
        try SystemFailure.check("reach_check", result)
        return State(question.state)
    }
}

@Suite(.needsNamespaces)
struct CheckTests {
    private static let targets: [Target] = [
        .internet, .localWiFi, .address("192.0.2.1"), .address("10.9.0.1"), .address("10.9.0.2"),
        .address("2600::1"), .address("2001:db8:9::1"), .address("127.0.0.1"),
        .pair("10.9.0.1", "192.0.2.1"), Target(remote: "192.0.2.1", interfaceName: "eth0"),
    ]

    @Test("A check gives the state that a monitor reports first", arguments: Features.users)
    func first(uid: uid_t) throws {
        let lab = try Lab(links: 2)
        for target in Self.targets {
            let watcher = try Watcher(lab.host, uid: uid)
            let id = try watcher.add(target)
            try watcher.dispatch()
            #expect(try check(target, in: lab.host, uid: uid) == watcher.state(id), "\(target)")
        }
    }

    @Test("A check sees the loss of carrier as a monitor does")
    func carrier() throws {
        let lab = try Lab()
        let watcher = try Watcher(lab.host)
        let id = try watcher.add(.internet, expecting: .reachable)
        #expect(try check(.internet, in: lab.host).flags == .reachable)
        try lab.carrier(false)
        try watcher.expect(id, [], reason: "linkDown")
        #expect(try check(.internet, in: lab.host).reason == "linkDown")
    }
}
