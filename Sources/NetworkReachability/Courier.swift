// SPDX-License-Identifier: MIT

/// Takes what callbacks have to be told to their queues.
///
/// The only letter there is may be kept for the thread that found the news out, which then need not wake
/// another one. Of several all go to their queues, in order.
package struct Courier {
    private var holder: Callback?
    private var keepsNext: Bool

    /// - Parameter keepsOne: Whether ``callKept()`` will be called.
    package init(keepingOne keepsOne: Bool = false) {
        keepsNext = keepsOne
    }

    mutating func take(_ letter: Callback.Letter, to callback: Callback) {
        // The thread would have to wait for the main one.
        guard !callback.isOnMainQueue else { return callback.send(letter) }
        guard keepsNext else {
            sendKept()
            return callback.send(letter)
        }
        keepsNext = false
        callback.hold(letter)
        holder = callback
    }

    /// Puts on its queue what was kept, and keeps nothing more.
    mutating func sendKept() {
        keepsNext = false
        holder.take()?.sendHeld()
    }

    /// Calls who is to be told what was kept, on its queue.
    ///
    /// It may take as long as the user's code does.
    consuming func callKept() {
        holder?.callWithHeld()
    }
}
