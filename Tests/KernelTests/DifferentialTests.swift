// SPDX-License-Identifier: MIT
import CReach
import Foundation
import Testing

/// After any sequence of changes, the monitor's states equal those of a fresh monitor and of a
/// single check.
///
///     REACH_SEED=7 swift test --filter Differential      that sequence alone
///     REACH_SEEDS=20 swift test --filter Differential    20 of them
///     REACH_OPERATIONS=1000                              longer ones
///     REACH_CROWD=10000 REACH_CROWD_OPERATIONS=200       more targets, more changes under them
@Suite(.blocking, .needsNamespaces, .serialized, .timeLimit(.minutes(30)))
struct DifferentialTests {
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["REACH_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["REACH_SEEDS"].flatMap(UInt64.init) ?? 2))
    }()

    private static let steps =
        ProcessInfo.processInfo.environment["REACH_OPERATIONS"].flatMap { Int($0) } ?? 100

    private static let crowd =
        ProcessInfo.processInfo.environment["REACH_CROWD"].flatMap { Int($0) }

    private static let crowdSteps =
        ProcessInfo.processInfo.environment["REACH_CROWD_OPERATIONS"].flatMap { Int($0) } ?? 20

    @Test(
        "After every random change the monitored verdicts are those of a fresh monitor",
        .needs(
            Features.nexthop && Features.bridge && Features.macvlan, "nexthops, bridges, macvlan"),
        arguments: seeds)
    func differential(seed: UInt64) throws {
        try run(seed: seed, steps: Self.steps, crowd: 0)
    }

    @Test(
        "While thousands of targets come and go and routes flood in, verdicts equal a fresh monitor's",
        .needs(
            Features.nexthop && Features.bridge && Features.macvlan, "nexthops, bridges, macvlan"),
        arguments: seeds)
    func crowded(seed: UInt64) throws {
        let count = Self.crowd ?? 2000 + 1000 * Int(seed % 4)
        try run(seed: seed, steps: Self.crowdSteps, crowd: count)
    }

    private func run(seed: UInt64, steps: Int, crowd: Int) throws {
        var world = try World(seed: seed)
        var random = SeededGenerator(seed: ~seed)
        // Every other seed has a small receive buffer, which overruns often.
        let watched = try Watched(world, receiveBuffer: seed % 2 == 0 ? 4096 : 0)
        try watched.grow(by: crowd, &random)
        var history: [String] = []
        for step in 1...steps {
            if crowd > 0 && random.chance(25) {
                history += [world.flood(watched.crowd.map(\.remote))]
            }
            history += world.step()
            if crowd > 0 && random.chance(50) { history += [world.fit()] }
            if random.chance(10) { try watched.exchange(&random) }
            if crowd > 0 && random.chance(25) {
                let count = Int.random(in: 1...crowd / 2, using: &random)
                try watched.shrink(by: count)
                try watched.grow(by: count, &random)
                history += ["\(count) targets exchanged"]
            }
            let differences = try watched.differences(&random)
            guard differences.isEmpty else {
                Issue.record(
                    """
                    seed \(seed), step \(step), \(crowd) more targets: \
                    REACH_SEED=\(seed) swift test --filter Differential
                    \(differences.prefix(20).joined(separator: "\n"))
                    after
                    \(history.suffix(12).joined(separator: "\n"))
                    """)
                return
            }
        }
    }
}

/// The world's targets, monitored from the start.
private final class Watched {
    private let lab: Lab
    private let watcher: Watcher
    private var ids: [UInt64] = []
    /// Additional targets, all plain addresses, with their ids in `crowdIds`.
    private(set) var crowd: [Target] = []
    private var crowdIds: [UInt64] = []

    init(_ world: World, receiveBuffer: UInt32) throws {
        lab = world.lab
        watcher = try Watcher(lab.host, receiveBuffer: receiveBuffer)
        ids = try World.targets.map { try watcher.add($0) }
    }

    /// Removes a target and adds it again.
    func exchange(_ random: inout SeededGenerator) throws {
        let position = Int.random(in: 0..<ids.count, using: &random)
        try watcher.remove(ids[position])
        ids[position] = try watcher.add(World.targets[position])
    }

    func grow(by count: Int, _ random: inout SeededGenerator) throws {
        for _ in 0..<count {
            let target = Target.address(World.someAddress(&random))
            crowd.append(target)
            crowdIds.append(try watcher.add(target))
        }
    }

    /// Removes the oldest targets of the crowd.
    func shrink(by count: Int) throws {
        try crowdIds.prefix(count).forEach { try watcher.remove($0) }
        crowdIds.removeFirst(count)
        crowd.removeFirst(count)
    }

    /// The differences between the monitor's states and those of a fresh monitor or the kernel.
    ///
    /// Waits for events that are still to come, such as a carrier's, up to a second later.
    func differences(_ random: inout SeededGenerator) throws -> [String] {
        let chosen = Int.random(in: 0..<ids.count, using: &random)
        let deadline = monotonicSeconds() + Watcher.patience
        while true {
            try watcher.settle()
            let differences =
                try fromFresh() + fromSockets() + crowdFromSockets() + fromCheck(chosen)
                + unpublished()
            if differences.isEmpty || monotonicSeconds() > deadline { return differences }
            guard waitReadable(watcher.descriptor, until: monotonicSeconds() + 2) else {
                return differences
            }
        }
    }

    /// Compares all targets of the world, and a sample of the crowd, with a fresh monitor.
    private func fromFresh() throws -> [String] {
        let fresh = try Watcher(lab.host)
        let sample = stride(from: 0, to: crowd.count, by: 29)
        let targets = World.targets + sample.map { crowd[$0] }
        let watchedIds = ids + sample.map { crowdIds[$0] }
        let freshIds = try targets.map { try fresh.add($0) }
        try fresh.settle()
        return try zip(targets, zip(watchedIds, freshIds)).compactMap { target, pair in
            let (monitored, evaluated) = (try watcher.state(pair.0), try fresh.state(pair.1))
            return monitored == evaluated
                ? nil : "\(target): monitored \(monitored)\n\(target): fresh     \(evaluated)"
        }
    }

    /// Compares the chosen target and the next few with `reach_check()`.
    private func fromCheck(_ position: Int) throws -> [String] {
        try zip(World.targets, ids).dropFirst(position).prefix(8).compactMap { target, id in
            let (monitored, checked) =
                (try watcher.state(id), try check(target, in: lab.host))
            return monitored == checked
                ? nil : "\(target): monitored \(monitored)\n\(target): checked   \(checked)"
        }
    }

    /// Finds states that differ from the last published one.
    private func unpublished() throws -> [String] {
        try zip(World.targets + crowd, ids + crowdIds).compactMap { target, id in
            let state = try watcher.state(id)
            guard let last = watcher.published[id] else { return "\(target): never published" }
            return state.differs(from: last)
                ? "\(target): is \(state), published \(last)" : nil
        }
    }

    /// Compares with the routes of sockets, which say nothing about the state of links.
    ///
    /// Skips the internet and local Wi-Fi, to which no socket can connect.
    private func fromSockets() throws -> [String] {
        let positions = World.targets.indices.filter {
            !World.targets[$0].remote.isEmpty && World.targets[$0].remote != "169.254.0.0"
        }
        return try compare(positions.map { (World.targets[$0], ids[$0]) })
    }

    /// Compares the crowd with the sources of sockets, and a sample and all that differ with their routes, too.
    private func crowdFromSockets() throws -> [String] {
        let sources = try lab.sourcesOfSockets(to: crowd)
        let asked = try crowd.indices.filter {
            let state = try watcher.state(crowdIds[$0])
            let agrees = sources[$0].map { $0 == state.source } ?? state.flags.isEmpty
            return $0 % 29 == 0 || !agrees
        }
        return try compare(asked.map { (crowd[$0], crowdIds[$0]) })
    }

    private func compare(_ watched: [(target: Target, id: UInt64)]) throws -> [String] {
        let routes = try lab.routesOfSockets(to: watched.map(\.target))
        return try zip(watched, routes).flatMap { watched, routes in
            let state = try watcher.state(watched.id)
            let ways: [Route?] = routes.isEmpty ? [nil] : routes
            let each = ways.map { compare(watched.target, state, with: $0) }
            return each.contains(where: \.isEmpty) ? [] : each[0]
        }
    }

    /// Whether `lo` is up: otherwise packets to own addresses are lost, whatever a lookup says.
    private var isLoopbackUp: Bool {
        (try? lab.host.ip("-o link show dev lo up"))?.isEmpty == false
    }

    private func compare(_ target: Target, _ state: State, with route: Route?) -> [String] {
        guard let route else {
            return state.flags.isEmpty ? [] : ["\(target): \(state), but the kernel has no route"]
        }
        if route.isLocal || state.flags.contains(.local) {
            let isRight =
                route.isLocal
                && (state.flags.contains(.local) || (state.reason == "linkDown" && !isLoopbackUp))
            return isRight ? [] : ["\(target): \(state), but the kernel says \(route)"]
        }
        return state.interfaceName == route.interface && state.gateway == route.gateway
            && state.source == route.source
            ? []
            : ["\(target): \(state), but the kernel says \(route), and sockets use \(route.source)"]
    }
}
