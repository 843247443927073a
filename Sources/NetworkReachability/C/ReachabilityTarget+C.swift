// SPDX-License-Identifier: MIT

#if canImport(CReach)
package import CReach
#endif

extension ReachabilityTarget {
    /// Checks the target with the rules of the C library; an error quotes `input`, or the target.
    func validate(given input: String? = nil) throws(ReachabilityError) {
        #if canImport(CReach)
        do throws(ReachabilityErrno) {
            // C would check only the text before a NUL.
            if case .domain(let name) = kind, name.utf8.contains(0) { throw .invalidArgument }
            try unsafe ReachabilityErrno.check(withCValue { unsafe reach_target_validate($0) })
        } catch {
            throw .invalidTarget(self, error, given: input)
        }
        #endif
    }

    #if canImport(CReach)
    /// Calls `body` with the C struct, which is valid during the call only.
    package func withCValue(
        reporting: Reporting = .verdict, _ body: (UnsafePointer<reach_target>) -> CInt
    ) -> CInt {
        var target = unsafe reach_target()
        unsafe reach_target_init(&target, kind.cValue)
        unsafe target.policy =
            (policy == .strict ? reach_name_policy.REACH_NAME_STRICT : .REACH_NAME_OPTIMISTIC)
            .rawValue
        unsafe target.report =
            (reporting == .path ? reach_report.REACH_REPORT_PATH : .REACH_REPORT_VERDICT).rawValue
        unsafe target.interface_index = interfaceIndex ?? 0
        unsafe target.mark = mark
        unsafe target.uid = uid ?? UInt32.max
        unsafe target.interface_classes = interfaceClasses.reduce(0) {
            $0 | 1 << $1.rawClass
        }
        let isScoped = interfaceName != nil || interfaceIndex != nil
        if let interfaceName = interfaceName ?? (isScoped ? nil : namedScope) {
            unsafe withUnsafeMutableBytes(of: &target.interface_name) { bytes in
                unsafe bytes.copyBytes(from: interfaceName.utf8.prefix(bytes.count - 1))
            }
        }
        switch kind {
        case .internet: unsafe target.remote = family?.unspecified ?? reach_address()
        case .localWiFi: break
        case .address(let address):
            unsafe target.remote = address.cValue
            if namedScope != nil { unsafe target.remote.scope_id = 0 }
        case .addressPair(let local, let remote):
            unsafe target.local = local?.cValue ?? reach_address()
            unsafe target.remote = remote?.cValue ?? reach_address()
        case .domain(let name):
            unsafe target.remote = family?.unspecified ?? reach_address()
            return unsafe name.withCString { text in
                unsafe target.name = text
                return unsafe body(&target)
            }
        }
        return unsafe body(&target)
    }
    #endif
}

#if canImport(CReach)
extension NetworkAddress.Family {
    /// 0.0.0.0 or ::.
    fileprivate var unspecified: reach_address { NetworkAddress(self, 0).cValue }
}

extension ReachabilityTarget.Kind {
    fileprivate var cValue: reach_target_kind {
        switch self {
        case .internet: .REACH_TARGET_INTERNET
        case .localWiFi: .REACH_TARGET_LOCAL_WIFI
        case .address: .REACH_TARGET_ADDRESS
        case .addressPair: .REACH_TARGET_ADDRESS_PAIR
        case .domain: .REACH_TARGET_NAME
        }
    }
}
#endif
