// SPDX-License-Identifier: MIT

import NetworkReachability
import OtherErrno
import Testing

@Suite("A client with an Errno of another package")
struct ErrnoClientTests {
    @Test("Errno and ReachabilityErrno can be used side by side")
    func names() {
        let theirs = Errno(rawValue: 2)
        let ours = ReachabilityErrno(rawValue: theirs.rawValue)
        #expect(ours == .noSuchFile)
    }
}
