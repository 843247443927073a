// SPDX-License-Identifier: MIT

import CReach
import Testing

@testable import NetworkReachability

@Suite("Values defined in both C and Swift")
struct ReasonTests {
    @Test("Flags and interface states have the same bits in Swift as in C")
    func bits() {
        let flags: [(ReachabilityFlags, reach_flag)] = [
            (.transientConnection, .REACH_FLAG_TRANSIENT_CONNECTION),
            (.reachable, .REACH_FLAG_REACHABLE),
            (.connectionRequired, .REACH_FLAG_CONNECTION_REQUIRED),
            (.connectionOnTraffic, .REACH_FLAG_CONNECTION_ON_TRAFFIC),
            (.interventionRequired, .REACH_FLAG_INTERVENTION_REQUIRED),
            (.connectionOnDemand, .REACH_FLAG_CONNECTION_ON_DEMAND),
            (.isLocalAddress, .REACH_FLAG_IS_LOCAL_ADDRESS), (.isDirect, .REACH_FLAG_IS_DIRECT),
            (.isWWAN, .REACH_FLAG_IS_WWAN),
        ]
        for (flag, inC) in flags { #expect(flag.rawValue == inC.rawValue) }
        #expect(flags.reduce(0) { $0 | $1.0.rawValue } == 0x7003f)
        let states: [(NetworkInterfaceState, reach_interface_state)] = [
            (.up, .REACH_INTERFACE_UP), (.running, .REACH_INTERFACE_RUNNING),
            (.lowerUp, .REACH_INTERFACE_LOWER_UP), (.dormant, .REACH_INTERFACE_DORMANT),
            (.pointToPoint, .REACH_INTERFACE_POINT_TO_POINT),
        ]
        for (state, inC) in states { #expect(state.rawValue == inC.rawValue) }
        let usable = NetworkInterfaceState(
            rawValue: reach_interface_state.REACH_INTERFACE_USABLE.rawValue)
        #expect(usable.isUsable && !NetworkInterfaceState(rawValue: ~usable.rawValue).isUsable)
    }

    @Test("Each class of C has a case of the same name, and other numbers are other")
    func classes() {
        for number in UInt32(0)..<100 {
            let name = unsafe String(cString: reach_interface_class_name(number))
            let own = NetworkInterfaceClass(rawClass: number)
            #expect(own.rawValue == name)
            #expect(own == .other || own.rawClass == number)
        }
    }

    @Test("Each reason of C has a case of the same name, and other numbers are unknown")
    func names() {
        var found: Set<ReachabilityReason> = []
        for number in UInt32(0)..<1000 {
            let name = unsafe String(cString: reach_reason_name(number))
            for isReachable in [true, false] {
                let reason = ReachabilityReason(rawReason: number, isReachable: isReachable)
                let none = isReachable ? "reachable" : "notEvaluated"
                #expect(reason.rawValue == (number == 0 ? none : name.isEmpty ? "unknown" : name))
                found.insert(reason)
            }
        }
        #expect(found == Set(ReachabilityReason.allCases))
    }
}
