// SPDX-License-Identifier: MIT

#if canImport(CReach)
/// The calls of a round.
extension MonitorLoop {
    /// Makes calls in order; runs in the loop, with no lock held.
    func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .call(let queue, let body): put(Call(queue, body))
            case .here(let body): body()
            }
        }
    }

    /// Keeps a call for the end of this round.
    private func put(_ call: Call) {
        guard !isInChild || call.isOnMainQueue else { return call.makeOnQueue() }
        state.withLock { $0.round.append(call) }
    }

    /// Ends a round: submits its calls except those that the thread makes itself with the returned number.
    func endRound() -> Int? {
        let (due, caller) = state.withLock { state -> ([Call], Int?) in
            guard !state.round.isEmpty else { return ([], nil) }
            let caller = takeOwn(&state)
            guard !state.round.isEmpty else { return ([], caller) }
            defer { state.round = [] }
            let earlier = takeEarlier(&state)
            return (earlier.isEmpty ? state.round : earlier + state.round, caller)
        }
        for call in due { call.send() }
        return caller
    }

    /// Earlier calls on the queues of the round go first, unless a thread of the loop has begun them.
    private func takeEarlier(_ state: inout State) -> [Call] {
        var earlier: [Call] = []
        for index in state.calls.indices.reversed() where !state.calls[index].isSent {
            let call = state.calls[index].call
            guard !call.isBegun, state.round.contains(where: { $0.queue === call.queue })
            else { continue }
            state.calls[index].isSent = true
            earlier.append(call)
        }
        return earlier
    }

    /// Takes the calls of a round that the thread can make itself, if another thread can wait for events.
    ///
    /// These are none on the main queue, and none on a queue with a call of an earlier round that isn't made yet.
    private func takeOwn(_ state: inout State) -> Int? {
        let earlier = state.calls.count
        var round: [Call] = []
        swap(&round, &state.round)
        defer { swap(&round, &state.round) }
        guard round.contains(where: { Self.isOwn($0, state.calls[..<earlier]) }) else { return nil }
        if state.threads - state.callers < 2 {
            guard state.threads < Self.most, (try? start(&state)) != nil else { return nil }
        }
        state.callers += 1
        state.lastCaller += 1
        for call in round.reversed() where Self.isOwn(call, state.calls[..<earlier]) {
            state.calls.append(OwnCall(call: call, caller: state.lastCaller))
        }
        round.removeAll { Self.isOwn($0, state.calls[..<earlier]) }
        // Without another call, none waits for the first.
        if state.calls.count > earlier + 1 {
            state.relief = min(state.relief, monotonicNanoseconds() + Self.patience)
            setTimer(&state, to: state.relief)
        }
        return state.lastCaller
    }

    private static func isOwn(_ call: Call, _ earlier: ArraySlice<OwnCall>) -> Bool {
        !call.isOnMainQueue && !earlier.contains { $0.call.queue === call.queue }
    }

    /// Makes the calls that a thread took; false if the thread must exit.
    func makeCalls(of caller: Int) -> Bool {
        var next = state.withLock { state in state.calls.last { $0.caller == caller } }
        while let own = next {
            if !own.isSent { own.call.makeOnQueue() }
            // Released after the lock.
            let made: Call?
            (made, next) = state.withLock { Self.take(&$0, of: caller) }
            withExtendedLifetime(made) {}
        }
        return state.withLock { state in
            state.callers -= 1
            if !state.calls.contains(where: { !$0.isSent }) { cancelRelief(&state) }
            guard state.threads - state.callers > Self.idle else { return true }
            state.threads -= 1
            return false
        }
    }

    /// Removes the call that a thread has made, and returns it and its next one.
    private static func take(_ state: inout State, of caller: Int) -> (Call?, next: OwnCall?) {
        guard let index = state.calls.lastIndex(where: { $0.caller == caller }) else {
            return (nil, nil)
        }
        let made = state.calls.remove(at: index).call
        return (made, state.calls[..<index].last { $0.caller == caller })
    }

    /// The calls that have waited for too long for others of their round, to be submitted.
    static func takeLate(_ state: inout State, _ now: UInt64) -> [Call] {
        guard state.relief <= now else { return [] }
        state.relief = .max
        let late = state.calls.reversed().filter { !$0.isSent }.map(\.call)
        for index in state.calls.indices { state.calls[index].isSent = true }
        return late
    }
}
#endif
