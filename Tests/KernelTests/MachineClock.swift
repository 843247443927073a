// SPDX-License-Identifier: MIT
import Synchronization

/// Held by the test that sets the machine's clock, which wakes every monitor, and by tests that
/// count wake-ups.
let machineClock = Mutex(())
