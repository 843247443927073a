// SPDX-License-Identifier: MIT
import BusTestSupport
import Foundation
import Glibc
import NetworkReachability
import SwiftTestSupport
import Testing

@testable import SystemServices

/// Buses and services that are missing, return, are silent, or send nonsense.
@Suite("Without ModemManager", .blocking, .timeLimit(.minutes(10)))
struct MissingServiceTests {
    private let place: Place

    init() throws {
        place = try Place()
    }

    @Test("A bus and a daemon that appear and end are reported, more than once")
    func comesAndGoes() async throws {
        let radio = place.radio()
        let missing = await radio.first { _ in true }
        #expect(missing?.error?.code == .noBus && missing?.error?.errno == .noSuchFile)
        #expect(missing?.error?.description.contains("/run/dbus/system_bus_socket") == true)
        for _ in 0..<3 {
            try place.startBus()
            #expect(await radio.first { $0.availability == .noDaemon }?.error == nil)
            for _ in 0..<3 {
                let service = try FakeModemManager(place, "own", "modem 0 state=8 tech=0x8000")
                #expect(await radio.firstModem { $0.generation == .fifth } != nil)
                service.crash()
                #expect(await radio.first { $0.availability == .noDaemon }?.modems == [])
            }
            try FakeModemManager(place, "modem 0 state=8", "own")
            #expect(await radio.firstModem { $0.isRegistered } != nil)
            place.endBus()
            let after = await radio.first { $0.error != nil }
            #expect(after?.error?.code == .noBus && after?.modems == [])
        }
    }

    @Test(
        "A bus that appears is noticed at once, not at the next attempt",
        arguments: ["", "unix:abstract=/nobody;"])
    func appears(before: String) async throws {
        // The folders of the socket appear, and then the socket itself.
        var options = SystemBusOptions(address: "\(before)\(place.address.dropLast(3))%61/b/bus")
        options.retry = 3_600_000
        let radio = CellularRadio(bus: SharedBusLoop(options))
        let received = Recorder<CellularRadioState>()
        let listener = radio.addListener(queue: .test()) { received.record($0) }
        #expect(await received.first { _ in true }?.error?.code == .noBus)
        let folder = place.folder.file("a/b")
        for _ in 0..<3 {
            try place.startBus()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.moveItem(
                atPath: place.socket, toPath: folder.appendingPathComponent("bus").path)
            let found = await received.first { $0.error == nil }
            #expect(found?.availability == .noDaemon, "\(received.values)")
            place.endBus()
            let lost = await received.first { $0.error != nil }
            #expect(lost?.error?.code == .noBus, "\(received.values)")
            try FileManager.default.removeItem(at: folder.deletingLastPathComponent())
        }
        listener.cancel()
    }

    @Test("A bus that leaves its socket behind and starts again is noticed")
    func restarts() async throws {
        var options = SystemBusOptions(address: place.address)
        options.retry = 3_600_000
        let radio = CellularRadio(bus: SharedBusLoop(options))
        let received = Recorder<CellularRadioState>()
        let listener = radio.addListener(queue: .test()) { received.record($0) }
        for _ in 0..<10 {
            try place.startBus()
            #expect(await received.first { $0.error == nil }?.availability == .noDaemon)
            place.endBus()
            #expect(await received.first { $0.error != nil }?.error?.code == .noBus)
        }
        listener.cancel()
    }

    @Test("A daemon that refuses or is silent is reported as refused until it answers")
    func refused() async throws {
        try place.startBus()
        let service = try FakeModemManager(place, "answer AccessDenied", "own", "modem 0 state=8")
        let denied = await place.radio().first { $0.error != nil }
        #expect(denied?.error?.code == .refused && denied?.error?.errno == .permissionDenied)
        try service.send("answer nothing")
        let radio = place.radio(answer: 300)
        // Until the bus has answered, there is none.
        _ = await radio.first {
            $0.error?.code == .refused && $0.error?.errno?.rawValue == ETIMEDOUT
        }
        // A connection that ends answers so, too; if it doesn't end, the service is silent.
        try service.send("answer Disconnected")
        let other = await place.radio(answer: 300).first { $0.error != nil }
        #expect(other?.error?.errno?.rawValue == ETIMEDOUT)
        try service.send("answer all")
        #expect(await radio.firstModem { $0.isRegistered } != nil)
    }

    @Test(
        "A socket that is silent, closes, or sends nonsense is reported as noBus, and retried",
        arguments: [nil, "", "HTTP/1.1 400 Bad Request\r\n\r\n", "OK 0123\r\nl\u{1}\u{0}\u{1}xx"])
    func nonsense(greeting: String?) async throws {
        let listener = try Listener(place.socket)
        let received = Recorder<CellularRadioState>()
        let radio = place.radio(answer: 200)
        let listening = radio.addListener(queue: .test()) { received.record($0) }
        // The radio tries again.
        for _ in 0..<3 { try listener.accept(greeting) }
        #expect(await received.next()?.error?.code == .noBus)
        listening.cancel()
    }

    @Test("A bus address that can't be watched without blocking is rejected")
    func address() async throws {
        for address in ["tcp:host=localhost,port=1", "unix:path=/x;unixexec:path=/bin/true", ""] {
            let radio = CellularRadio(bus: SharedBusLoop(SystemBusOptions(address: address + " ")))
            let error = await radio.first { _ in true }?.error
            #expect(error?.code == .noBus)
        }
    }

    @Test("Repeated use leaves no descriptors and no threads, and does not grow memory")
    func rounds() async {
        await #expect(processExitsWith: .success) {
            let place = try Place()
            try place.startBus()
            try FakeModemManager(place, "own", "modem 0 state=8 tech=0x8000")
            func round() {
                let state = place.radio().currentState(timeout: .seconds(120))
                #expect(state.modems.count == 1, "\(state)")
            }
            for _ in 0..<50 { round() }
            // Pages of 4 KiB: one kilobyte per round would be 250 pages per stretch. In any stretch,
            // the allocator may take one more arena for a thread.
            let stretches = 4
            var growths: [Int] = []
            var before = try Usage()
            repeat {
                for _ in 0..<1000 { round() }
                let after = try Usage()
                #expect(after.descriptors <= before.descriptors)
                growths.append(after.pages - before.pages)
                before = after
            } while growths.count < stretches && growths.allSatisfy { $0 >= 250 }
            #expect(growths.contains { $0 < 250 }, "\(growths)")
        }
    }

    @Test("Without descriptors the radio is unavailable, and it recovers once there are some")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            try await MissingServiceTests.lackDescriptors(spare: 0)
        }
        await #expect(processExitsWith: .success) {
            try await MissingServiceTests.lackDescriptors(spare: 1)
        }
    }

    /// Needs a process of its own, which hasn't opened libsystemd.
    private static func lackDescriptors(spare: rlim_t) async throws {
        let place = try Place()
        try place.startBus()
        try FakeModemManager(place, "own", "modem 0 state=8 tech=0x8000")
        let loop = place.connection().loop
        let reports = Recorder<CellularRadioState>()
        let next = dup(0)
        close(next)
        // With no descriptor, or only one for the thread's timer, libsystemd can't be opened.
        let most = limitDescriptors(to: rlim_t(next) + spare)
        let id = loop.subscribe(to: \.modemManager) { reports.record($0) }
        while reports.values.isEmpty { sched_yield() }
        limitDescriptors(to: most)
        guard case .unavailable(let failure) = reports.values[0].availability else {
            preconditionFailure("\(reports.values)")
        }
        precondition(failure.code == .outOfResources, "\(failure)")
        // The radio recovers without another call.
        let later = await reports.first { $0.availability == .available }
        precondition(later?.modems.count == 1)
        loop.unsubscribe(id, from: \.modemManager)
    }

    @Test("A daemon may be killed at any time, and its successor is reported")
    func killed() async throws {
        try place.startBus()
        let radio = place.radio()
        let listener = radio.addListener(queue: .test()) { _ in }
        for round in 0..<40 {
            let service = try FakeModemManager(place, "own")
            if round % 2 == 0 { try service.send("modem 0 state=8 tech=0x8000") }
            if round % 3 == 0 { try service.send("storm 0 200") }
            service.crash()
        }
        try FakeModemManager(place, "own", "modem 1 state=8")
        #expect(await radio.first { $0.modems.map(\.id) == [path(1)] } != nil)
        listener.cancel()
    }

    @Test("A child of fork() has its own connection, and leaves its parent's alone")
    func child() async {
        await #expect(processExitsWith: .success) {
            let place = try Place()
            try place.startBus()
            let service = try FakeModemManager(place, "own", "modem 0 state=8 tech=0x8000")
            let radio = place.radio()
            let received = Recorder<CellularRadioState>()
            let listener = radio.addListener(queue: .test()) { received.record($0) }
            let first = await received.next()
            precondition(first?.modems.first?.technology == .nr)
            for _ in 0..<20 {
                let child = fork(atRest: true) {
                    listener.cancel()
                    let state = radio.currentState(timeout: .seconds(120))
                    return state.modems.first?.technology == .nr ? 0 : 1
                }
                precondition(wait(for: child) == 0)
            }
            try service.send("modem 0 tech=0x4000")
            let last = await received.next()
            precondition(last?.modems.first?.technology == .lte)
        }
    }
}

/// A socket that stands in for a bus.
private struct Listener: ~Copyable {
    private let socket: CInt

    init(_ path: String) throws {
        socket = try listen(at: Array(path.utf8))
    }

    deinit {
        close(socket)
    }

    /// Accepts a connection, and answers; with nil, waits silently until the other side gives up.
    func accept(_ greeting: String?) throws {
        let connection = Glibc.accept(socket, nil, nil)
        try #require(connection >= 0)
        defer { close(connection) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        guard let greeting else {
            while unsafe read(connection, &bytes, bytes.count) > 0 {}
            return
        }
        _ = unsafe read(connection, &bytes, bytes.count)
        let answer = Array(greeting.utf8)
        _ = unsafe send(connection, answer, answer.count, CInt(MSG_NOSIGNAL))
    }
}

/// The descriptors and the memory of this process, once no thread of a bus is left.
private struct Usage {
    let descriptors: Int
    let pages: Int

    init() throws {
        while threadNames().contains("reach-bus") { sched_yield() }
        descriptors = descriptorCount()
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        pages = Int(text.split(separator: " ")[1]) ?? 0
    }
}
