// SPDX-License-Identifier: MIT

// Clients name queues without an import of their own: Apple's Network has Dispatch in it.
@unsafe @preconcurrency @_exported public import Dispatch
