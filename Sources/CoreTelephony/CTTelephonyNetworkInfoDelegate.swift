// SPDX-License-Identifier: MIT

/// The delegate of a ``CTTelephonyNetworkInfo``.
///
///     final class DataService: CTTelephonyNetworkInfoDelegate {
///         func dataServiceIdentifierDidChange(_ identifier: String) {
///             print("data over \(identifier)")
///         }
///     }
///     let delegate = DataService()
///     let info = CTTelephonyNetworkInfo()
///     info.delegate = delegate
public protocol CTTelephonyNetworkInfoDelegate: AnyObject {
    /// Called on the main queue when another service provides data.
    ///
    /// - Parameter identifier: The identifier of the new service.
    func dataServiceIdentifierDidChange(_ identifier: String)
}

extension CTTelephonyNetworkInfoDelegate {
    /// Does nothing.
    public func dataServiceIdentifierDidChange(_ identifier: String) {}
}
