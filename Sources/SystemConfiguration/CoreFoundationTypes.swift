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
    public static var defaultMode: CFRunLoopMode { kCFRunLoopDefaultMode }

    /// All modes that were declared common.
    public static var commonModes: CFRunLoopMode { kCFRunLoopCommonModes }

    /// The mode's name, in the form `SCNetworkReachabilityScheduleWithRunLoop(_:_:_:)` takes.
    public var rawValue: SystemConfiguration.CFString {
        var characters = [UniChar](repeating: 0, count: CFStringGetLength(self))
        unsafe CFStringGetCharacters(
            self, CFRange(location: 0, length: characters.count), &characters)
        return NSString(string: String(decoding: characters, as: UTF16.self))
    }
}
