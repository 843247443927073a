// SPDX-License-Identifier: MIT
import CReach
import Foundation
import Testing

/// Whatever happens, in whatever order, what the monitor says is what one that starts now says, and
/// what a single answer is.
///
///     REACH_SEED=7 swift test --filter Differential      that sequence alone
///     REACH_SEEDS=20 swift test --filter Differential    20 of them
///     REACH_OPERATIONS=1000                              longer ones
@Suite(.serialized, .timeLimit(.minutes(30)))
struct DifferentialTests {
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["REACH_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["REACH_SEEDS"].flatMap(UInt64.init) ?? 2))
    }()

    private static let steps =
        ProcessInfo.processInfo.environment["REACH_OPERATIONS"].flatMap { Int($0) } ?? 300

    @Test(
        "after every random change the monitored verdicts are those of a fresh monitor",
        .needs(
            Features.nexthop && Features.bridge && Features.macvlan, "nexthops, bridges, macvlan"),
        arguments: seeds)
    func differential(seed: UInt64) throws {
        var world = try World(seed: seed)
        var random = SeededGenerator(seed: ~seed)
        // Every other seed loses events all the time.
        let watched = try Watched(world, receiveBuffer: seed % 2 == 0 ? 4096 : 0)
        var history: [String] = []
        for step in 1...Self.steps {
            history += world.step()
            if random.chance(10) { try watched.exchange(&random) }
            let differences = try watched.differences(&random)
            guard differences.isEmpty else {
                Issue.record(
                    """
                    seed \(seed), step \(step): REACH_SEED=\(seed) swift test --filter Differential
                    \(differences.joined(separator: "\n"))
                    after
                    \(history.suffix(12).joined(separator: "\n"))
                    """)
                return
            }
        }
    }
}

/// The world's targets under a monitor that has been there from the start.
private final class Watched {
    private let lab: Lab
    private let watcher: Watcher
    private var ids: [UInt64] = []

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

    /// What the monitor says that a fresh one, or the kernel, does not.
    ///
    /// Events that are still to come (carriers, up to a second later) are waited for.
    func differences(_ random: inout SeededGenerator) throws -> [String] {
        let chosen = Int.random(in: 0..<ids.count, using: &random)
        let deadline = monotonicSeconds() + Watcher.patience
        while true {
            try watcher.settle()
            let differences =
                try fromFresh() + fromKernel(chosen) + fromCheck(chosen) + unpublished()
            if differences.isEmpty || monotonicSeconds() > deadline { return differences }
            guard waitReadable(watcher.descriptor, until: monotonicSeconds() + 2) else {
                return differences
            }
        }
    }

    private func fromFresh() throws -> [String] {
        let fresh = try Watcher(lab.host)
        let freshIds = try World.targets.map { try fresh.add($0) }
        try fresh.settle()
        return try zip(World.targets, zip(ids, freshIds)).compactMap { target, pair in
            let (monitored, evaluated) = (try watcher.state(pair.0), try fresh.state(pair.1))
            return monitored == evaluated
                ? nil : "\(target): monitored \(monitored)\n\(target): fresh     \(evaluated)"
        }
    }

    /// One answer for the chosen target and a few next to it.
    private func fromCheck(_ position: Int) throws -> [String] {
        try zip(World.targets, ids).dropFirst(position).prefix(8).compactMap { target, id in
            let (monitored, checked) =
                (try watcher.state(id), try check(target, in: lab.host))
            return monitored == checked
                ? nil : "\(target): monitored \(monitored)\n\(target): checked   \(checked)"
        }
    }

    /// A state that nobody was told of.
    private func unpublished() throws -> [String] {
        try zip(World.targets, ids).compactMap { target, id in
            let state = try watcher.state(id)
            guard let last = watcher.published[id] else { return "\(target): never published" }
            return state.differs(from: last)
                ? "\(target): is \(state), published \(last)" : nil
        }
    }

    /// `ip route get` for one plain address; it tells nothing of links and sources.
    private func fromKernel(_ position: Int) throws -> [String] {
        let target = World.targets[position]
        guard target.kind == .REACH_TARGET_ADDRESS, target.interfaceName.isEmpty,
            !["::ffff", "169.254", "224.", "ff02"].contains(where: target.remote.hasPrefix)
        else { return [] }
        let selectors =
            (target.mark == 0 ? "" : " mark \(target.mark)")
            + (target.uid == .max ? "" : " uid \(target.uid)")
        let state = try watcher.state(ids[position])
        guard let route = try lab.routeGet(target.remote + selectors) else {
            return state.flags.isEmpty ? [] : ["\(target): \(state), but the kernel has no route"]
        }
        if route.isLocal || state.flags.contains(.local) {
            return route.isLocal && state.flags.contains(.local)
                ? [] : ["\(target): \(state), but the kernel says \(route)"]
        }
        return state.interfaceName == route.interface && state.gateway == route.gateway
            && state.source == route.source
            ? [] : ["\(target): \(state), but the kernel says \(route)"]
    }
}
