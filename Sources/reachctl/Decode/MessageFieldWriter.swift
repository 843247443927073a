// SPDX-License-Identifier: MIT

/// The fields of a message, from which its line is written: a JSON object, or text in the style of
/// `ip monitor`.
struct MessageFieldWriter: JSONValue {
    struct Form {
        let isText: Bool
        /// Names of interfaces for text, from the link messages so far.
        var names = InterfaceNames()
    }

    private let isText: Bool
    private let textOrder: [String]
    private var object = JSONObject()
    private var texts: [(key: String, text: String)] = []

    /// - Parameters:
    ///   - form: What is written of the fields.
    ///   - textOrder: Keys in the order of text, if that is not the order in which they are added.
    init(_ form: Form, textOrder: [String] = []) {
        isText = form.isText
        self.textOrder = textOrder
    }

    /// Adds a field, unless `value` is nil: a member of the JSON object, or `text` if there is one.
    mutating func add(
        _ key: String, _ value: (some JSONValue)?, _ text: @autoclosure () -> String? = nil
    ) {
        guard isText else { return object.setIfPresent(key, value) }
        if value != nil, let text = text() { texts.append((key, text)) }
    }

    /// The texts of all fields, in order.
    var text: String {
        let sorted =
            textOrder.isEmpty
            ? texts : textOrder.compactMap { key in texts.first { $0.key == key } }
        return sorted.map(\.text).joined(separator: " ")
    }

    func write(to text: inout String) {
        object.write(to: &text)
    }
}
