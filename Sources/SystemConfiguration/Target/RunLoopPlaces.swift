// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Foundation
internal import RunLoops

/// The run loops and modes that a target is scheduled on, and the source that is added to each.
struct RunLoopPlaces {
    private struct Place {
        let loop: CFRunLoop
        let mode: String
        /// How often the target was scheduled here; it must be unscheduled as often.
        var count = 0
        /// Threads' own run loops that stand for `loop`; see ``ServedRunLoop/current``.
        var others: [CFRunLoop] = []

        var loops: [CFRunLoop] { [loop] + others }
    }

    private let source: RunLoopSource
    private var places: [Place] = []

    /// Starts without places; after ``signal()``, one of the run loops calls `perform`.
    init(perform: @escaping @Sendable () -> Void) throws(StatusError) {
        guard let source = RunLoopSource(perform: perform) else {
            throw StatusError(status: ENOMEM)
        }
        self.source = source
    }

    var isEmpty: Bool {
        places.isEmpty
    }

    mutating func add(_ loop: CFRunLoop, _ mode: String) {
        let served = ServedRunLoop(loop)
        if index(of: served.loop, mode) == nil {
            places.append(Place(loop: served.loop, mode: mode))
            source.add(to: served.loop, Self.mode(mode))
        }
        guard let index = index(of: served.loop, mode) else { return }
        places[index].count += 1
        if let current = served.current, !places[index].others.contains(where: { $0 === current }) {
            places[index].others.append(current)
            source.add(toStandIn: current, Self.mode(mode))
        }
    }

    /// Undoes one ``add(_:_:)``, and removes the place with the last one; false if it isn't there.
    mutating func remove(_ loop: CFRunLoop, _ mode: String) -> Bool {
        guard let index = index(of: ServedRunLoop(loop).loop, mode) ?? index(ofStandIn: loop, mode)
        else { return false }
        places[index].count -= 1
        guard places[index].count == 0 else { return true }
        let place = places.remove(at: index)
        source.remove(from: place.loop, Self.mode(mode))
        for loop in place.others { source.remove(fromStandIn: loop, Self.mode(mode)) }
        if places.isEmpty { source.invalidate() }
        return true
    }

    /// Lets one of the run loops call `perform`.
    func signal() {
        source.signal(places.flatMap(\.loops))
    }

    private func index(of loop: CFRunLoop, _ mode: String) -> Int? {
        places.firstIndex { $0.loop === loop && $0.mode == mode }
    }

    private func index(ofStandIn loop: CFRunLoop, _ mode: String) -> Int? {
        places.firstIndex { place in
            place.mode == mode && place.others.contains { $0 === loop }
        }
    }

    /// Core Foundation recognizes the common modes by the address of the string.
    private static func mode(_ name: String) -> CFRunLoopMode? {
        if name == CFRunLoopMode.commonModes.rawValue.description { return kCFRunLoopCommonModes }
        let characters = Array(name.utf16)
        return unsafe CFStringCreateWithCharacters(nil, characters, characters.count)
    }
}
