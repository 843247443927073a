// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SystemConfiguration

@Suite("Errors and constants")
struct ErrorTests {
    typealias Row = (status: Int, value: Int, text: String)

    static let table: [Row] = [
        (kSCStatusOK, 0, "Success!"), (kSCStatusFailed, 1001, "Failed!"),
        (kSCStatusInvalidArgument, 1002, "Invalid argument"),
        (kSCStatusAccessError, 1003, "Permission denied"), (kSCStatusNoKey, 1004, "No such key"),
        (kSCStatusKeyExists, 1005, "Key already defined"),
        (kSCStatusLocked, 1006, "Lock already held"),
        (kSCStatusNeedLock, 1007, "Lock required for this operation"),
        (kSCStatusNoStoreSession, 2001, "Configuration daemon session not active"),
        (kSCStatusNoStoreServer, 2002, "Configuration daemon not (no longer) available"),
        (kSCStatusNotifierActive, 2003, "Notifier is currently active"),
        (kSCStatusNoPrefsSession, 3001, "Preference session not active"),
        (kSCStatusPrefsBusy, 3002, "Preferences update currently in progress"),
        (kSCStatusNoConfigFile, 3003, "Configuration file not found"),
        (kSCStatusNoLink, 3004, "No such link"),
        (kSCStatusStale, 3005, "Write attempted on stale version of object"),
        (kSCStatusMaxLink, 3006, "Maximum link count exceeded"),
        (kSCStatusReachabilityUnknown, 4001, "Network reachability cannot be determined"),
        (kSCStatusConnectionNoService, 5001, "Network service for connection not available"),
        (
            kSCStatusConnectionIgnore, 5002,
            "Network connection information not available at this time"
        ),
    ]

    @Test("Each status has its number and its text", arguments: table)
    func statuses(row: Row) {
        #expect(row.status == row.value)
        #expect(unsafe String(cString: SCErrorString(Int32(row.status))) == row.text)
    }

    @Test("Errno values have the C library's text", arguments: [EPERM, ENOENT, ENOMEM, EHWPOISON])
    func systemErrors(number: Int32) {
        let expected = unsafe String(cString: strerror(number))
        #expect(unsafe String(cString: SCErrorString(number)) == expected)
    }

    @Test(
        "Other numbers have the text of an unknown error",
        arguments: [-1, 134, 1000, 1008, Int32.max, Int32.min])
    func unknown(number: Int32) {
        #expect(unsafe String(cString: SCErrorString(number)) == "unknown error code")
    }

    @Test("The last error has the domain, the status, and its text")
    func lastError() {
        ThreadStatus.current = 0
        #expect(SCCopyLastError().code == kSCStatusOK)
        _ = unsafe SCNetworkReachabilityCreateWithName(nil, "")
        let error = SCCopyLastError()
        #expect(error.domain == "com.apple.SystemConfiguration")
        #expect(error.domain == kCFErrorDomainSystemConfiguration as String)
        #expect(error.code == kSCStatusInvalidArgument)
        #expect(error.localizedDescription == "Invalid argument")
    }

    @Test("Each thread has its own last error, which a successful call keeps")
    func threads() async {
        let recorder = Recorder<Int32>()
        ThreadStatus.current = 0
        _ = unsafe SCNetworkReachabilityCreateWithName(nil, "")
        Thread.detachNewThread {
            recorder.record(SCError())
            _ = SocketAddress(family: AF_UNIX).target
            recorder.record(SCError())
        }
        #expect(SCError() == kSCStatusInvalidArgument)
        _ = unsafe SCNetworkReachabilityCreateWithName(nil, "localhost")
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(await recorder.next() == Int32(kSCStatusOK))
        #expect(await recorder.next() == Int32(kSCStatusInvalidArgument))
    }

    @Test("Flags have Apple's bits")
    func bits() {
        let flags: [SCNetworkReachabilityFlags] = [
            .transientConnection, .reachable, .connectionRequired, .connectionOnTraffic,
            .interventionRequired, .connectionOnDemand, .isLocalAddress, .isDirect, .isWWAN,
            .connectionAutomatic,
        ]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 0x10000, 0x20000, 0x40000, 8])
    }

    @Test("Run loop modes have Core Foundation's names")
    func modes() {
        #expect(CFRunLoopMode.commonModes.rawValue == "kCFRunLoopCommonModes")
        #expect(CFRunLoopMode.commonModes.rawValue as String == RunLoop.Mode.common.rawValue)
        #expect(CFRunLoopMode.defaultMode.rawValue as String == RunLoop.Mode.default.rawValue)
    }
}
