// SPDX-License-Identifier: MIT

/// Collects the fields of a message, and writes them as one line.
///
/// The line is a JSON object, or text in the style of `ip monitor`.
struct MessageFieldWriter: JSONValue {
    struct Form {
        let isText: Bool
        /// Interface names for text, from the link messages so far.
        var names = InterfaceNames()
    }

    private let isText: Bool
    private let textOrder: [String]
    private var object = JSONObject()
    private var texts: [(key: String, text: String)] = []

    /// - Parameters:
    ///   - form: Whether to write text or JSON, and the interface names for text.
    ///   - textOrder: The keys in the order of the text; empty to keep the order of the `add` calls.
    init(_ form: Form, textOrder: [String] = []) {
        isText = form.isText
        self.textOrder = textOrder
    }

    /// Adds a field, unless `value` is nil.
    ///
    /// JSON gets `value` as a member. Text gets `text`, unless that is nil.
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
