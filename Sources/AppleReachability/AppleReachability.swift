// SPDX-License-Identifier: MIT

// Statuses, flags, targets and errors of NetworkReachability are part of this module's interface.
@_exported public import NetworkReachability
