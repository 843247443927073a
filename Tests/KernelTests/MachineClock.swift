// SPDX-License-Identifier: MIT
import Synchronization

/// Held by the test that sets the machine's clock, which wakes every monitor there is, and by those
/// that count wake-ups.
let machineClock = Mutex(())
