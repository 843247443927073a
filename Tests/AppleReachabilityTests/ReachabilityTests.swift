// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import AppleReachability
@testable import NetworkReachability

@Suite("Reachability", .timeLimit(.minutes(10)))
struct ReachabilityTests {
    let reachability: Reachability

    init() throws {
        reachability = try Reachability(
            target: .address("127.0.0.1"), isLocalWiFi: false, options: testOptions)
    }

    func watching(_ flags: ReachabilityFlags, isLocalWiFi: Bool = false) async throws
        -> Reachability
    {
        let reachability = try Reachability(
            target: .internet, isLocalWiFi: isLocalWiFi, options: testOptions)
        await Feed(reachability.core).send(flags)
        return reachability
    }

    @Test("The table of flags has all 512 combinations")
    func table() {
        #expect(Set(FlagsTable.rows.map(\.flags.rawValue)).count == 512)
    }

    @Test("Names and values are the sample's")
    func constants() {
        #expect(
            kReachabilityChangedNotification.rawValue == "kNetworkReachabilityChangedNotification")
        #expect(NSNotification.Name.reachabilityChanged == kReachabilityChangedNotification)
        #expect([NotReachable, ReachableViaWiFi, ReachableViaWWAN].map(\.rawValue) == [0, 1, 2])
        #expect(NetworkStatus.allCases == [.NotReachable, .ReachableViaWiFi, .ReachableViaWWAN])
    }

    @Test("Each initializer makes the right target")
    func creating() throws {
        #expect(Reachability.forInternetConnection().core.target == .internet)
        #expect(Reachability.forLocalWiFi().core.target == .localWiFi)
        #expect(try Reachability().core.target == .internet)
        let name = try ReachabilityTarget.domain("www.example.com", policy: .optimistic)
        #expect(Reachability(hostName: "www.example.com").core.target == name)
        #expect(try Reachability(hostname: "https://www.example.com/a?b#c").core.target == name)
        let address = try ReachabilityTarget.address("2001:db8::1")
        #expect(Reachability(hostName: "2001:db8::1").core.target == address)
        #expect(try Reachability(reachabilityRef: address).core.target == address)
        var link = sockaddr_in()
        link.sin_family = sa_family_t(AF_INET)
        link.sin_addr.s_addr = UInt32(0xa9fe_0000).bigEndian
        let local = unsafe Reachability(address: &link)
        #expect(try #require(local).core.target == (try .address("169.254.0.0")))
    }

    @Test(
        "The target of a URL is its host",
        arguments: [
            ("https://www.example.com:8443/x?y#z", "www.example.com"),
            ("http://user:secret@192.0.2.1/", "192.0.2.1"),
            ("ftp://[2001:db8::1]:21/", "2001:db8::1"),
            ("www.example.com", "www.example.com"),
        ])
    func urls(text: String, host: String) throws {
        let url = try #require(URL(string: text))
        #expect(try Reachability(url: url).core.target.description == host)
    }

    @Test(
        "For a bad name, init(hostName:) returns nil and init(hostname:) throws",
        arguments: BadNames.rows)
    func bad(row: BadNames.Row) throws {
        #expect(Reachability(hostName: row.name) == nil)
        let error = #expect(throws: ReachabilityError.self) {
            try Reachability(hostname: row.name)
        }
        #expect(error?.code == row.code && error?.input == row.name)
    }

    @Test("A URL without a host is rejected", arguments: ["file:///tmp", "mailto:a@b.example"])
    func badURL(text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: ReachabilityError.self) { try Reachability(url: url) }
    }

    @Test("Loopback is reachable without a notifier")
    func synchronous() throws {
        #expect(reachability.currentReachabilityStatus() == ReachableViaWiFi)
        #expect(reachability.isReachable() && reachability.isReachableViaWiFi())
        #expect(!reachability.isReachableViaWWAN() && !reachability.connectionRequired())
        #expect(reachability.reachabilityFlags() == [.reachable, .isLocalAddress])
        #expect(reachability.currentReachabilityFlags() == "-R -----l-")
        #expect(reachability.description == "-R -----l-")
        #expect(reachability.currentReachabilityString() == "WiFi" && reachability.lastError == nil)
    }

    @Test("All 512 combinations of flags give the sample's statuses", arguments: FlagsTable.rows)
    func rule(row: FlagsTable.Row) {
        #expect("\(NetworkStatus(flags: row.flags))" == row.networkStatus)
        #expect("\(NetworkStatus(localWiFiFlags: row.flags))" == row.localWiFiStatus)
        #expect(
            reachabilityFlagsLine(row.flags, "comment")
                == "Reachability Flag Status: \(row.lettersSample) comment\n")
    }

    @Test(
        "Flags give the same values as in the wrappers",
        arguments: FlagsTable.rows.filter { $0.flags.rawValue.isMultiple(of: 3) })
    func wrappers(row: FlagsTable.Row) async throws {
        let reachability = try await watching(row.flags)
        let flags = row.flags
        #expect("\(reachability.currentReachabilityStatus())" == row.networkStatus)
        #expect(reachability.currentReachabilityFlags() == row.lettersWrappers)
        #expect(reachability.connectionRequired() == flags.contains(.connectionRequired))
        #expect(reachability.isConnectionRequired() == reachability.connectionRequired())
        #expect(
            reachability.isConnectionOnDemand()
                == (flags.contains([.connectionRequired, .connectionOnTraffic])
                    || flags.contains([.connectionRequired, .connectionOnDemand])))
        #expect(
            reachability.isInterventionRequired()
                == flags.contains([.connectionRequired, .interventionRequired]))
        let connections: [String: (Reachability.Connection, String)] = [
            "NotReachable": (.unavailable, "No Connection"), "ReachableViaWiFi": (.wifi, "WiFi"),
            "ReachableViaWWAN": (.cellular, "Cellular"),
        ]
        let (connection, words) = try #require(connections[row.networkStatus])
        #expect(reachability.connection == connection && "\(connection)" == words)
        #expect(reachability.currentReachabilityString() == words)
    }

    @Test("Local Wi-Fi is reachable only if it is direct")
    func localWiFi() async throws {
        let direct: ReachabilityFlags = [.reachable, .isDirect]
        #expect(
            try await watching(direct, isLocalWiFi: true).currentReachabilityStatus()
                == ReachableViaWiFi)
        #expect(
            try await watching(.reachable, isLocalWiFi: true).currentReachabilityStatus()
                == NotReachable)
        #expect(try await watching(.reachable).currentReachabilityStatus() == ReachableViaWiFi)
    }

    @Test("A cellular connection counts unless it is disallowed")
    func cellular() async throws {
        let reachability = try await watching(.wwan)
        #expect(reachability.isReachableViaWWAN() && reachability.allowsCellularConnection)
        reachability.reachableOnWWAN = false
        #expect(!reachability.allowsCellularConnection)
        #expect(!reachability.isReachable() && !reachability.isReachableViaWWAN())
        #expect(reachability.currentReachabilityString() == "No Connection")
        #expect(reachability.currentReachabilityFlags() == "WR -t-----")
        reachability.allowsCellularConnection = true
        #expect(reachability.isReachable())
    }

    @Test("If the system refuses a monitor, the status is NotReachable and lastError is set")
    func refused() throws {
        let nowhere = ReachabilityTarget.internet.with(namespace: .path("/dev/null"))
        let reachability = try Reachability(reachabilityRef: nowhere)
        #expect(reachability.currentReachabilityStatus() == NotReachable)
        #expect(reachability.lastError?.code == .notANamespace && !reachability.startNotifier())
        #expect(reachability.lastError?.code == .notANamespace)
        reachability.stopNotifier()
    }
}
