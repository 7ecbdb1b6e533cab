@testable internal import JSON
internal import System

/// The body of the JSON fuzzer, also run over its corpus by the tests: parses with small limits, walks every value
/// and looks for every position.
public func fuzzJSON(_ bytes: Span<UInt8>) {
    let limits = JSONLimits(byteCount: 1 << 16, depth: 32)
    guard let document = try? JSONDocument(parsing: bytes, limits: limits) else {
        _ = JSONPositions(source: bytes.copied()).value(at: [.member("a"), .index(1), .member("b")])
        return
    }
    let walk = JSONWalk(positions: JSONPositions(source: bytes.copied()))
    walk.visit(document.root, at: [])
}

private struct JSONWalk {
    let positions: JSONPositions

    func visit(_ value: JSONValue, at path: JSONPath) {
        // Positions cost a scan each, so only the upper levels are looked for.
        if path.count < 3 {
            precondition(positions.value(at: path) != nil, "an accepted value has a position")
        }
        switch value.kind {
        case .object:
            for member in value.members {
                precondition(value.member(named: member.name) != nil, "a member is found by its name")
                visit(member.value, at: path + [.member(member.name)])
            }
        case .array:
            for (index, element) in value.elements.enumerated() { visit(element, at: path + [.index(index)]) }
        case .string:
            let length = value.withUTF8 { text in text.count }
            precondition(length == value.string?.utf8.count, "a string is lent as it is copied")
        case .integer: precondition(value.int64 != nil, "an integer is exact")
        case .real: precondition(value.real?.isFinite == true, "a real number is finite")
        case .boolean: precondition(value.boolean != nil, "a boolean has a value")
        case .null: break
        }
    }
}
