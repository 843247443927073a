// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import AppleReachability
@testable import NetworkReachability

@Suite("Bad input to AFNetworkReachabilityManager", .timeLimit(.minutes(10)))
struct AFBadInputTests {
    typealias Status = AFNetworkReachabilityStatus

    @Test("An invalid host name is never reachable, and lastError is set", arguments: BadNames.rows)
    func names(row: BadNames.Row) async {
        let manager = AFNetworkReachabilityManager(forDomain: row.name)
        #expect(manager.networkReachabilityStatus == .unknown)
        #expect(manager.lastError?.code == row.code && manager.lastError?.input == row.name)
        let blocks = Recorder<Status>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        let status = AFManagerTests.status
        await recording(.AFNetworkingReachabilityDidChange, of: manager, status) { posted in
            manager.startMonitoring()
            #expect(await posted.next() == .notReachable)
        }
        #expect(blocks.values == [.notReachable])
        #expect(manager.networkReachabilityStatus == .notReachable)
        #expect(manager.lastError?.code == row.code)
    }

    @Test("A stop on the main queue drops the report of a failed start")
    func stopped() async {
        let manager = AFNetworkReachabilityManager(forDomain: "")
        let blocks = Recorder<Status>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        await perform(on: .main) {
            manager.startMonitoring()
            manager.stopMonitoring()
        }
        await mainDeliveries()
        #expect(blocks.values.isEmpty && manager.networkReachabilityStatus == .unknown)
    }

    @Test("If the system refuses a monitor, the status is unknown and lastError is set")
    func refused() async {
        let manager = AFNetworkReachabilityManager(
            reachability: .internet.with(namespace: .path("/dev/null")))
        let blocks = Recorder<Status>()
        manager.setReachabilityStatusChange { blocks.record($0) }
        #expect(manager.lastError == nil)
        manager.startMonitoring()
        #expect(await blocks.next() == .unknown)
        #expect(manager.lastError?.code == .notANamespace)
    }

    @Test("Socket addresses of both families are accepted, and read up to their size")
    func socketAddresses() throws {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let byAddress = unsafe AFNetworkReachabilityManager(forAddress: &four)
        #expect(try byAddress.core.get().target == .address("127.0.0.1"))
        var bare = sockaddr()
        bare.sa_family = sa_family_t(AF_INET)
        let zero = unsafe AFNetworkReachabilityManager(forAddress: &bare)
        #expect(try zero.core.get().target == .address("0.0.0.0"))
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        let none = unsafe AFNetworkReachabilityManager(forAddress: &six)
        #expect(try none.core.get().target == .address("::"))
        let plain = AFNetworkReachabilityManager(forAddress: try NetworkAddress("192.0.2.1"))
        #expect(try plain.core.get().target == .address("192.0.2.1"))
    }

    @Test("Any other family is rejected by its two bytes alone", arguments: [0, AF_UNIX, 0xffff])
    func family(_ family: Int32) {
        var value = sa_family_t(family)
        let manager = unsafe AFNetworkReachabilityManager(forAddress: &value)
        #expect(manager.lastError?.code == .unsupportedFamily)
        #expect(unsafe Reachability(address: &value) == nil)
    }
}
