// SPDX-License-Identifier: MIT

@_exported public import CoreFoundation
@_exported public import Foundation

/// The string type of this module's interface.
///
///     let mode = RunLoop.Mode.common as CFString
///     SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), mode)
///
/// On Apple's systems `CFString` and `NSString` are bridged, so existing sources write `"text" as CFString`. On Linux
/// only `NSString` supports that conversion. If you also import CoreFoundation, write `SystemConfiguration.CFString`.
public typealias CFString = NSString

/// The error type of this module's interface; see ``CFString``.
public typealias CFError = NSError

// On Apple's systems CFRunLoopMode is a type with these members. Their raw values are arguments of
// SCNetworkReachabilityScheduleWithRunLoop(). On Linux CFRunLoopMode is another name of CFString.
extension CFRunLoopMode {
    /// The default mode of a run loop.
    ///
    /// Implicitly unwrapped, as on Apple's systems: sources write `CFRunLoopMode.defaultMode!`.
    public static var defaultMode: CFRunLoopMode! { kCFRunLoopDefaultMode }

    /// All common modes.
    ///
    /// Implicitly unwrapped, like ``defaultMode``.
    public static var commonModes: CFRunLoopMode! { kCFRunLoopCommonModes }

    /// The name of the mode, an argument of `SCNetworkReachabilityScheduleWithRunLoop(_:_:_:)`.
    public var rawValue: SystemConfiguration.CFString {
        var characters = [UniChar](repeating: 0, count: CFStringGetLength(self))
        unsafe CFStringGetCharacters(
            self, CFRange(location: 0, length: characters.count), &characters)
        return NSString(string: String(decoding: characters, as: UTF16.self))
    }
}

/// Lets a source write `RunLoop.Mode.common as CFString`.
///
/// `as` requires this standard-library protocol, whose requirements begin with underscores.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores
extension RunLoop.Mode: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString {
        NSString(string: rawValue)
    }

    public static func _forceBridgeFromObjectiveC(
        _ source: NSString, result: inout RunLoop.Mode?
    ) {
        result = RunLoop.Mode(String._unconditionallyBridgeFromObjectiveC(source))
    }

    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout RunLoop.Mode?
    ) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> RunLoop.Mode {
        RunLoop.Mode(String._unconditionallyBridgeFromObjectiveC(source))
    }
}
