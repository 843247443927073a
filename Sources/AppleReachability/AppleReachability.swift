// SPDX-License-Identifier: MIT

// Statuses, flags, targets and errors of NetworkReachability, and technologies and generations of
// CellularRadio, are part of this module's interface.
@_exported public import CellularRadio
@_exported public import NetworkReachability
