// SPDX-License-Identifier: MIT

// On Apple's systems, the module is Network.framework under another name.

#if canImport(Network)
@_exported public import Network
#endif
