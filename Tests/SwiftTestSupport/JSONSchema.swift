// SPDX-License-Identifier: MIT
import Foundation

/// A value of JSON.
private enum JSON: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    var type: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .number(let value): value == value.rounded() ? "integer" : "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [self] }
    }
}

/// Read once: a debug build takes 60 ms.
private let schema = Result {
    let file = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Sources/reachctl/schema/reachctl.schema.json")
        .standardizedFileURL
    return try JSONDecoder().decode(JSON.self, from: Data(contentsOf: file))
}

/// The violations of the schema in a line of JSON from `reachctl`; empty if there are none.
///
/// Readers must accept unknown members. Here such a member is a problem: the schema lacks it.
///
/// - Parameters:
///   - line: The line.
///   - name: The definition it follows, such as `state`.
/// - Returns: A sentence per problem.
/// - Throws: An error if the line or the schema is not JSON.
package func schemaProblems(in line: String, as name: String) throws -> [String] {
    let value = try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
    let checker = SchemaChecker(definitions: try schema.get()["$defs"])
    return try checker.problems(value, .object(["$ref": .string("#/$defs/\(name)")]), name)
}

/// Checks the keywords that the schema uses, and reports any other one as a problem.
private struct SchemaChecker {
    let definitions: JSON?

    func problems(_ value: JSON, _ schema: JSON, _ path: String) throws -> [String] {
        guard case .object(let keywords) = schema else { return ["\(path): no schema"] }
        return try keywords.sorted { $0.key < $1.key }
            .flatMap { keyword, argument in
                try problems(value, keyword, argument, path)
            } + unknownMembers(of: value, keywords, path)
    }

    private func problems(
        _ value: JSON, _ keyword: String, _ argument: JSON, _ path: String
    ) throws -> [String] {
        switch (keyword, argument, value) {
        case ("description", _, _): return []
        case ("$ref", .string(let reference), _):
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return try problems(value, definitions?[name] ?? .null, path)
        case ("anyOf", .array(let schemas), _), ("oneOf", .array(let schemas), _):
            let all = try schemas.map { try problems(value, $0, path) }
            return all.min { $0.count < $1.count } ?? []
        case ("properties", .object(let schemas), .object(let members)):
            return try schemas.flatMap { key, schema in
                try members[key].map { try problems($0, schema, "\(path).\(key)") } ?? []
            }
        case ("items", _, .array(let elements)):
            return try elements.enumerated().flatMap {
                try problems($1, argument, "\(path)[\($0)]")
            }
        case ("required", .array(let keys), .object(let members)):
            let missing = keys.filter { key in !members.keys.contains { .string($0) == key } }
            return missing.map { "\(path): no \($0)" }
        default:
            let holds = try holds(value, keyword, argument)
            return holds ? [] : ["\(path): \(value) is against \(keyword) \(argument)"]
        }
    }

    private func holds(_ value: JSON, _ keyword: String, _ argument: JSON) throws -> Bool {
        switch (keyword, argument, value) {
        case ("type", _, _): argument.elements.contains(.string(value.type))
        case ("enum", .array(let values), _): values.contains(value)
        case ("const", _, _): value == argument
        case ("minimum", .number(let limit), .number(let number)): number >= limit
        case ("maximum", .number(let limit), .number(let number)): number <= limit
        case ("pattern", .string(let pattern), .string(let text)):
            try text.firstMatch(of: Regex(pattern)) != nil
        // These don't apply to a value of another type.
        case ("minimum", _, _), ("maximum", _, _), ("pattern", _, _), ("items", _, _),
            ("required", _, _), ("properties", _, _):
            true
        default: false
        }
    }

    private func unknownMembers(
        of value: JSON, _ keywords: [String: JSON], _ path: String
    ) -> [String] {
        guard case .object(let known) = keywords["properties"], case .object(let members) = value
        else { return [] }
        return members.keys.filter { known[$0] == nil }.sorted()
            .map { "\(path): the schema has no '\($0)'" }
    }
}
