// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Testing

@testable import NetworkReachability

@Suite("Objects of one process", .timeLimit(.minutes(10)))
struct ProcessLocalTests {
    private final class Object: OfOneProcess {
        let process: OwnerProcess

        init(of process: Int32 = getpid()) {
            self.process = OwnerProcess(process)
        }
    }

    @Test("Threads that make the first object at once share it")
    func threads() {
        var differing = 0
        for _ in 0..<20_000 {
            let place = ProcessLocal<Object>()
            let made = Lock<[Object]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let object = place.current { _ in Object() }
                made.withLock { $0.append(object) }
            }
            if !made.withLock({ $0 }).allSatisfy({ $0 === place.existing }) { differing += 1 }
        }
        #expect(differing == 0)
    }

    @Test("An object of the parent is replaced, and the new one knows that there was one")
    func parent() {
        let place = ProcessLocal<Object>()
        #expect(place.existing == nil)
        _ = place.current { inChild in
            #expect(!inChild)
            return Object(of: getpid() + 1)
        }
        #expect(place.existing == nil)
        let own = place.current { inChild in
            #expect(inChild)
            return Object()
        }
        #expect(place.existing === own)
        #expect(place.current { _ in Object() } === own)
    }
}
