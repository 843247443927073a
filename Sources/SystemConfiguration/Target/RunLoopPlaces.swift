// SPDX-License-Identifier: MIT

@unsafe @preconcurrency internal import CoreFoundation
internal import Foundation

/// The run loops and modes a target is scheduled on, and the source that is in all of them.
struct RunLoopPlaces {
    private struct Place {
        let loop: CFRunLoop
        let mode: String
        /// How many times it was scheduled here: so many times it has to be unscheduled.
        var count = 1
    }

    private let source: CFRunLoopSource
    private var places: [Place] = []

    init(_ session: Session) throws(StatusError) {
        var context = unsafe CFRunLoopSourceContext()
        unsafe context.info = Unmanaged.passUnretained(session).toOpaque()
        unsafe context.retain = { info in
            if let info = unsafe info { _ = unsafe Unmanaged<Session>.fromOpaque(info).retain() }
            return unsafe info
        }
        unsafe context.release = { info in
            if let info = unsafe info { unsafe Unmanaged<Session>.fromOpaque(info).release() }
        }
        unsafe context.perform = { info in
            guard let info = unsafe info else { return }
            unsafe Unmanaged<Session>.fromOpaque(info).takeUnretainedValue().deliver()
        }
        guard let source = unsafe CFRunLoopSourceCreate(nil, 0, &context) else {
            throw StatusError(status: ENOMEM)
        }
        self.source = source
    }

    var isEmpty: Bool {
        places.isEmpty
    }

    mutating func add(_ loop: CFRunLoop, _ mode: String) {
        if let index = index(of: loop, mode) {
            places[index].count += 1
            return
        }
        places.append(Place(loop: loop, mode: mode))
        CFRunLoopAddSource(loop, source, Self.mode(mode))
    }

    /// Whether it was there.
    mutating func remove(_ loop: CFRunLoop, _ mode: String) -> Bool {
        guard let index = index(of: loop, mode) else { return false }
        places[index].count -= 1
        guard places[index].count == 0 else { return true }
        places.remove(at: index)
        CFRunLoopRemoveSource(loop, source, Self.mode(mode))
        if places.isEmpty { CFRunLoopSourceInvalidate(source) }
        return true
    }

    /// Makes one of the run loops call ``Session/deliver()``.
    func signal() {
        CFRunLoopSourceSignal(source)
        for place in places { CFRunLoopWakeUp(place.loop) }
    }

    private func index(of loop: CFRunLoop, _ mode: String) -> Int? {
        places.firstIndex { $0.loop === loop && $0.mode == mode }
    }

    /// Core Foundation knows the common modes by the string's address.
    private static func mode(_ name: String) -> CFRunLoopMode? {
        if name == CFRunLoopMode.commonModes.rawValue.description { return kCFRunLoopCommonModes }
        let characters = Array(name.utf16)
        return unsafe CFStringCreateWithCharacters(nil, characters, characters.count)
    }
}
