// SPDX-License-Identifier: MIT

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

    /// Ends a round: submits its calls except the returned one, which the thread makes itself.
    func endRound() -> Call? {
        let (due, call) = state.withLock { state -> ([Call], Call?) in
            guard !state.round.isEmpty else { return ([], nil) }
            let own = takeOwn(&state)
            guard !state.round.isEmpty else { return ([], own) }
            defer { state.round = [] }
            // Earlier calls on the same queues go first, unless a thread of the loop has begun them.
            let earlier = state.calls.filter { call in
                state.round.contains { $0.queue === call.queue }
            }
            return (earlier.isEmpty ? state.round : earlier + state.round, own)
        }
        for call in due { call.send() }
        return call
    }

    /// Removes the last call of a round if it is alone on its queue and another thread can wait for events.
    private func takeOwn(_ state: inout State) -> Call? {
        guard let index = state.round.lastIndex(where: { !$0.isOnMainQueue }) else { return nil }
        let queue = state.round[index].queue
        guard state.round.firstIndex(where: { $0.queue === queue }) == index,
            !state.calls.contains(where: { $0.queue === queue })
        else { return nil }
        if state.threads - state.calls.count < 2 {
            guard state.threads < Self.most, (try? start(&state)) != nil else { return nil }
        }
        let call = state.round.remove(at: index)
        state.calls.append(call)
        return call
    }

    /// Records that a thread has made its call; false if the thread must exit.
    func end(_ call: Call) -> Bool {
        state.withLock { state in
            state.calls.removeAll { $0 === call }
            guard state.threads - state.calls.count > Self.idle else { return true }
            state.threads -= 1
            return false
        }
    }
}
