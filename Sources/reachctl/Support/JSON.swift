// SPDX-License-Identifier: MIT

/// A value that can be written as JSON.
protocol JSONValue {
    /// Appends the value to `text`.
    func write(to text: inout String)
}

/// One JSON object, its members in the order they were added.
///
/// A nil value is written as null.
struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
    private var members = ""

    init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
        for (key, value) in members { set(key, value) }
    }

    /// Leaves out members whose value is nil.
    init(present members: KeyValuePairs<String, (any JSONValue)?>) {
        for (key, value) in members where value != nil { set(key, value) }
    }

    /// Starts an event of `watch`; `name` determines the other members.
    init(event name: String, time: String) {
        self = ["time": time, "event": name]
    }

    mutating func set(_ key: String, _ value: (any JSONValue)?) {
        if !members.isEmpty { members += "," }
        key.write(to: &members)
        members += ":"
        if let value { value.write(to: &members) } else { members += "null" }
    }

    /// Adds the members of another object.
    mutating func add(_ other: JSONObject) {
        if !members.isEmpty && !other.members.isEmpty { members += "," }
        members += other.members
    }

    func write(to text: inout String) {
        text += "{"
        text += members
        text += "}"
    }

    /// The object on one line.
    var line: String {
        var text = ""
        write(to: &text)
        return text
    }
}

extension String: JSONValue {
    /// Writes a JSON string.
    ///
    /// A Swift string is always valid Unicode, so it only needs escapes. Control characters are
    /// escaped, too, as in ``printable``.
    func write(to text: inout String) {
        text += "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.isControl:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension UInt32: JSONValue {}
extension UInt16: JSONValue {}
extension UInt8: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}

extension JSONValue where Self: FixedWidthInteger {
    func write(to text: inout String) {
        text += String(self)
    }
}

extension Bool: JSONValue {
    func write(to text: inout String) {
        text += self ? "true" : "false"
    }
}

extension Array: JSONValue where Element: JSONValue {
    func write(to text: inout String) {
        text += "["
        for (position, element) in enumerated() {
            if position > 0 { text += "," }
            element.write(to: &text)
        }
        text += "]"
    }
}
