// SPDX-License-Identifier: MIT

@_exported public import Foundation

extension NSNotification.Name {
    // Swift imports CoreTelephony's constants under these names.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted on the main queue when the radio access technology of a service has changed, while a
    /// ``CTTelephonyNetworkInfo`` exists.
    ///
    /// `object` is the identifier of the service, a `String`: the key in
    /// ``CTTelephonyNetworkInfo/serviceCurrentRadioAccessTechnology``, where a service that is no longer
    /// registered is missing.
    public static let CTServiceRadioAccessTechnologyDidChange = NSNotification.Name(
        "CTServiceRadioAccessTechnologyDidChangeNotification")

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The older name, posted after `CTServiceRadioAccessTechnologyDidChange` with the same `object`.
    public static let CTRadioAccessTechnologyDidChange = NSNotification.Name(
        "CTRadioAccessTechnologyDidChangeNotification")
}
