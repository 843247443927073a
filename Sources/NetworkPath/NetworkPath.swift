// SPDX-License-Identifier: MIT

// Apple's Network re-exports Dispatch, so clients name queues without importing it.
@unsafe @preconcurrency @_exported public import Dispatch
