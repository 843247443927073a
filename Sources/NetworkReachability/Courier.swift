// SPDX-License-Identifier: MIT

/// Takes what callbacks have to be told to their queues.
///
/// The only letter there is may be kept for the thread that found the news out, which then need not wake
/// another one. Of several all go to their queues, in order.
package struct Courier {
    private let kept: KeptCall?
    private var mayKeep: Bool
    /// Whether ``KeptCall/call()`` has to be called.
    private(set) var hasKept = false

    /// All is sent at once.
    package init() {
        kept = nil
        mayKeep = false
    }

    /// One letter may be kept, unless another is, if this is for the thread that `isCaller` then.
    init(_ kept: KeptCall, isCaller: Bool) {
        self.kept = kept
        mayKeep = isCaller
    }

    mutating func take(_ letter: Callback.Letter, to callback: Callback) {
        // The thread would have to wait for the main one.
        guard !callback.isOnMainQueue else { return callback.send(letter) }
        if mayKeep, let kept {
            mayKeep = false
            hasKept = kept.keep(letter, for: callback)
            if hasKept { return }
        }
        sendKept()
        callback.send(letter)
    }

    /// Puts on its queue what was kept, by whomever, and keeps nothing more.
    mutating func sendKept() {
        mayKeep = false
        kept?.send()
    }
}
