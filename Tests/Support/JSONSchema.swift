package import JSON

/// A JSON Schema of draft 2020-12, as far as the schemas of this project need it. A keyword that this type does not
/// know is reported as an error, so that no keyword is silently left unchecked.
package struct JSONSchema {
    private let root: JSONValue

    private static let annotations: Set<String> = [
        "$schema", "$defs", "$comment", "title", "description", "default", "x-on-hup", "x-synonyms",
    ]

    package init(_ root: JSONValue) {
        self.root = root
    }

    package func errors(in value: JSONValue) -> [String] {
        check(value, root, "$")
    }

    private func check(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        if let verdict = schema.boolean { return verdict ? [] : ["\(path): nothing is allowed here"] }
        var errors: [String] = []
        for (keyword, argument) in schema.members where !Self.annotations.contains(keyword) {
            errors += check(value, keyword, argument, schema, path)
        }
        return errors
    }

    private func check(
        _ value: JSONValue, _ keyword: String, _ argument: JSONValue, _ schema: JSONValue, _ path: String
    ) -> [String] {
        func refuse(_ condition: Bool) -> [String] { condition ? ["\(path): \(keyword)"] : [] }
        switch keyword {
        case "$ref":
            return reference(argument).map { check(value, $0, path) } ?? ["\(path): \(keyword) leads nowhere"]
        case "allOf": return argument.elements.flatMap { check(value, $0, path) }
        case "anyOf": return refuse(!argument.elements.contains { check(value, $0, path).isEmpty })
        case "oneOf": return refuse(argument.elements.filter { check(value, $0, path).isEmpty }.count != 1)
        case "not": return refuse(check(value, argument, path).isEmpty)
        case "if":
            let branch = check(value, argument, path).isEmpty ? "then" : "else"
            return schema.member(named: branch).map { check(value, $0, path) } ?? []
        case "then", "else": return []
        case "const": return refuse(!Self.equal(value, argument))
        case "enum": return refuse(!argument.elements.contains { Self.equal(value, $0) })
        case "type":
            let types = argument.string.map { [$0] } ?? argument.elements.compactMap(\.string)
            return refuse(!types.contains { Self.has($0, value) })
        case "minimum", "maximum": return refuse(Self.isOutside(value, keyword, argument))
        case "pattern", "minLength", "maxLength": return refuse(Self.isRefused(value, keyword, argument))
        default: break
        }
        switch value.kind {
        case .object: return checkObject(value, keyword, argument, schema, path)
        case .array: return checkArray(value, keyword, argument, path)
        default:
            return Self.structural.contains(keyword) ? [] : ["\(path): the keyword \(keyword) is not known"]
        }
    }

    private static let structural: Set<String> = [
        "properties", "additionalProperties", "propertyNames", "required", "dependentRequired",
        "minProperties",
        "maxProperties", "items", "minItems", "maxItems", "uniqueItems",
    ]

    private func checkObject(
        _ value: JSONValue, _ keyword: String, _ argument: JSONValue, _ schema: JSONValue, _ path: String
    ) -> [String] {
        var names: [String] { value.members.map(\.name) }
        switch keyword {
        case "properties":
            return argument.members.flatMap { name, schema in
                value.member(named: name).map { check($0, schema, "\(path).\(name)") } ?? []
            }
        case "additionalProperties":
            let known = Set(schema.member("properties")?.members.map(\.name) ?? [])
            return value.members.filter { !known.contains($0.name) }.flatMap {
                check($0.value, argument, "\(path).\($0.name)")
            }
        case "propertyNames":
            return names.flatMap { name in
                Self.value(of: name).map { check($0, argument, "\(path).\(name)") } ?? []
            }
        case "required":
            return argument.elements.compactMap(\.string).filter { !names.contains($0) }.map {
                "\(path): \($0) is missing"
            }
        case "dependentRequired":
            return argument.members.filter { names.contains($0.name) }.flatMap { _, needed in
                needed.elements.compactMap(\.string).filter { !names.contains($0) }.map {
                    "\(path): \($0) is missing"
                }
            }
        case "minProperties": return names.count < argument.int64 ?? 0 ? ["\(path): \(keyword)"] : []
        case "maxProperties": return names.count > argument.int64 ?? 0 ? ["\(path): \(keyword)"] : []
        default:
            return Self.structural.contains(keyword) ? [] : ["\(path): the keyword \(keyword) is not known"]
        }
    }

    private func checkArray(_ value: JSONValue, _ keyword: String, _ argument: JSONValue, _ path: String)
        -> [String]
    {
        let elements = value.elements
        switch keyword {
        case "items":
            return elements.enumerated().flatMap { check($1, argument, "\(path)[\($0)]") }
        case "minItems": return elements.count < argument.int64 ?? 0 ? ["\(path): \(keyword)"] : []
        case "maxItems": return elements.count > argument.int64 ?? 0 ? ["\(path): \(keyword)"] : []
        case "uniqueItems":
            let isRepeated = elements.indices.contains { index in
                elements[..<index].contains { Self.equal($0, elements[index]) }
            }
            return isRepeated ? ["\(path): \(keyword)"] : []
        default:
            return Self.structural.contains(keyword) ? [] : ["\(path): the keyword \(keyword) is not known"]
        }
    }

    private func reference(_ argument: JSONValue) -> JSONValue? {
        guard let text = argument.string, text.hasPrefix("#/$defs/") else { return nil }
        return root.member("$defs")?.member(named: String(text.dropFirst("#/$defs/".count)))
    }

    /// Returns a property's name as a JSON string, so that `propertyNames` can check it.
    private static func value(of name: String) -> JSONValue? {
        let text = JSONNode.string(name).serialized()
        let limits = JSONLimits(byteCount: text.count, depth: 1)
        return (try? JSONDocument(parsing: text.span, limits: limits))?.root
    }

    private static func has(_ type: String, _ value: JSONValue) -> Bool {
        switch value.kind {
        case .object: type == "object"
        case .array: type == "array"
        case .string: type == "string"
        case .integer: type == "integer" || type == "number"
        // A number without a fraction is an integer however it is written.
        case .real: type == "number" || type == "integer" && value.real.map { $0.rounded() == $0 } == true
        case .boolean: type == "boolean"
        case .null: type == "null"
        }
    }

    private static func number(_ value: JSONValue) -> Double? { value.int64.map(Double.init) ?? value.real }

    private static func isOutside(_ value: JSONValue, _ keyword: String, _ bound: JSONValue) -> Bool {
        if let value = value.int64, let bound = bound.int64 {
            return keyword == "minimum" ? value < bound : value > bound
        }
        guard let value = number(value), let bound = number(bound) else { return false }
        return keyword == "minimum" ? value < bound : value > bound
    }

    private static func isRefused(_ value: JSONValue, _ keyword: String, _ argument: JSONValue) -> Bool {
        guard let text = value.string else { return false }
        switch keyword {
        case "minLength": return text.unicodeScalars.count < argument.int64 ?? 0
        case "maxLength": return text.unicodeScalars.count > argument.int64 ?? 0
        default:
            guard let pattern = argument.string, let regex = try? Regex(pattern) else { return true }
            return text.firstMatch(of: regex) == nil
        }
    }

    private static func equal(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if let left = number(left), let right = number(right) { return left == right }
        guard left.kind == right.kind, left.count == right.count else { return false }
        let isSameText = left.string == right.string && left.boolean == right.boolean
        let hasSameElements = zip(left.elements, right.elements).allSatisfy { equal($0, $1) }
        let hasSameMembers = left.members.allSatisfy { name, value in
            right.member(named: name).map { equal(value, $0) } ?? false
        }
        return isSameText && hasSameElements && hasSameMembers
    }
}
