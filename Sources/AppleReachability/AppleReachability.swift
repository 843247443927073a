// SPDX-License-Identifier: MIT

// The types here speak in the façade's terms: statuses, flags, targets, errors. Whoever imports this
// module needs them too.
@_exported public import NetworkReachability
