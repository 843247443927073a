// SPDX-License-Identifier: MIT

@_exported public import CoreFoundation
@_exported public import Foundation

/// What Core Foundation's strings are in this module's interface.
///
/// On Apple's systems `CFString` and `NSString` are bridged, so existing sources write
/// `"text" as CFString`. On Linux only `NSString` takes part in that conversion. A source that imports
/// CoreFoundation by name as well has to write `SystemConfiguration.CFString`.
public typealias CFString = NSString

/// What Core Foundation's errors are in this module's interface; see ``CFString``.
public typealias CFError = NSError

/// What Core Foundation's dictionaries are in this module's interface; see ``CFString``.
public typealias CFDictionary = NSDictionary

/// What Core Foundation's arrays are in this module's interface; see ``CFString``.
public typealias CFArray = NSArray

// On Linux CFRunLoopMode is another name of Core Foundation's string; on Apple's systems it is a type
// with these members, and their raw values are what ScheduleWithRunLoop takes.
extension CFRunLoopMode {
    /// The mode a run loop is in unless told otherwise.
    ///
    /// Implicitly unwrapped as on Apple's systems, since sources write `CFRunLoopMode.defaultMode!`.
    public static var defaultMode: CFRunLoopMode! { kCFRunLoopDefaultMode }

    /// All modes that were declared common.
    ///
    /// Implicitly unwrapped as ``defaultMode`` is.
    public static var commonModes: CFRunLoopMode! { kCFRunLoopCommonModes }

    /// The mode's name, in the form `SCNetworkReachabilityScheduleWithRunLoop(_:_:_:)` takes.
    public var rawValue: SystemConfiguration.CFString {
        var characters = [UniChar](repeating: 0, count: CFStringGetLength(self))
        unsafe CFStringGetCharacters(
            self, CFRange(location: 0, length: characters.count), &characters)
        return NSString(string: String(decoding: characters, as: UTF16.self))
    }
}

/// Foundation's modes are Core Foundation's strings too: `RunLoop.Mode.common as CFString`.
///
/// `as` looks for this protocol of the standard library, whose requirements have such names.
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
