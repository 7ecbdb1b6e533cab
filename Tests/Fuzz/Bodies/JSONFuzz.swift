@testable internal import JSON
internal import System

/// The body of the JSON fuzzer; the tests also run it over the corpus. It parses with small limits, visits every value
/// and looks up the positions of the upper levels.
package func fuzzJSON(_ bytes: Span<UInt8>) {
    let limits = JSONLimits(byteCount: 1 << 16, depth: 32)
    guard let document = try? JSONDocument(parsing: bytes, limits: limits) else {
        _ = JSONPositions(source: bytes.copied()).value(at: [.member("a"), .index(1), .member("b")])
        return
    }
    let walk = JSONWalk(positions: JSONPositions(source: bytes.copied()))
    walk.visit(document.root, at: [])
}

private struct JSONWalk {
    let positions: JSONPositions?

    func visit(_ value: JSONValue, at path: JSONPath) {
        // Each position costs a scan of the text, so only positions of the upper levels are looked up.
        if path.count < 3, let positions {
            precondition(positions.value(at: path) != nil, "an accepted value has no position")
        }
        switch value.kind {
        case .object:
            for member in value.members {
                precondition(value.member(named: member.name) != nil, "a member is not found by its name")
                visit(member.value, at: path + [.member(member.name)])
            }
        case .array:
            for (index, element) in value.elements.enumerated() { visit(element, at: path + [.index(index)]) }
        case .string:
            let length = value.withUTF8 { text in text.count }
            precondition(length == value.string?.utf8.count, "a lent string and its copy differ in length")
        case .integer: precondition(value.int64 != nil, "an integer is not exact")
        case .real: precondition(value.real?.isFinite == true, "a real number is not finite")
        case .boolean: precondition(value.boolean != nil, "a boolean has no value")
        case .null: break
        }
    }
}
