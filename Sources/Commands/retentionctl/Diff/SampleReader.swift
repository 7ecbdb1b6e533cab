internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads the lines of a sample. A line is a request as in the embedded tests (`productId`, `userLocale`,
/// `originalTransactionId`, and perhaps `now`, `facts`, `factsAgeSeconds`), a decoded payload of Apple's, or a record
/// of the decision log (`time`, `subscriber`, `app`, `environment`, `product`, `locale`, `rule`, `arm`, `reason`). The
/// marks of that log (`mark`) are no requests.
struct SampleReader {
    let path: String
    let old: [(name: String, kind: ValueKind)]
    let new: [(name: String, kind: ValueKind)]

    /// The request of a line; nil for a mark.
    ///
    /// - Throws: what is wrong with it.
    func request(_ bytes: [UInt8], line: Int) throws(SampleFinding) -> SampleRequest? {
        let document = try JSONError.mapped(
            to: { SampleFinding(code: $0.code, message: $0.reason, column: $0.position?.column) },
            try JSONDocument(
                parsing: bytes.span,
                limits: JSONLimits(byteCount: InputLines.lineLimitBytes, depth: 8)
            )
        )
        let root = document.root
        do throws(SampleFinding) {
            guard root.kind == .object else { throw SampleFinding.wrongType("a line", "an object", at: []) }
            guard root.member("mark") == nil else { return nil }
            guard root.member("product") == nil else { return try record(root, line) }
            return try plain(root, line)
        } catch {
            let positions = JSONPositions(source: bytes)
            let position = error.isKey ? positions.key(at: error.place) : positions.value(at: error.place)
            throw error.placed(position?.column)
        }
    }

    private func plain(_ root: JSONValue, _ line: Int) throws(SampleFinding) -> SampleRequest {
        // A payload has the time of its signature only.
        let (now, signed) = (try Self.time("now", root), try Self.time("signedDate", root))
        return SampleRequest(
            line: line,
            productId: try Self.text("productId", root),
            userLocale: try Self.text("userLocale", root),
            subscriber: .originalTransactionId(try Self.text("originalTransactionId", root)),
            nowMilliseconds: now ?? signed,
            appAppleId: try Self.integer("appAppleId", root),
            environment: try Self.environment(root),
            facts: try facts(root),
            factsAgeSeconds: try Self.integer("factsAgeSeconds", root),
            logged: nil
        )
    }

    private func record(_ root: JSONValue, _ line: Int) throws(SampleFinding) -> SampleRequest {
        SampleRequest(
            line: line,
            productId: try Self.text("product", root),
            userLocale: try Self.text("locale", root),
            subscriber: .pseudonym(try Self.text("subscriber", root)),
            nowMilliseconds: try Self.time("time", root),
            appAppleId: try Self.integer("app", root),
            environment: try Self.environment(root),
            facts: nil,
            factsAgeSeconds: nil,
            logged: SampleRequest.Logged(
                rule: root.member("rule")?.string,
                arm: root.member("arm")?.string,
                reason: try Self.text("reason", root)
            )
        )
    }

    /// The subscriber's record, by the numbers that the facts have in either file; null is missing.
    private func facts(_ root: JSONValue) throws(SampleFinding) -> (old: [FactValue?], new: [FactValue?])? {
        guard let object = root.member("facts"), object.kind != .null else { return nil }
        guard object.kind == .object else { throw SampleFinding.wrongType("facts", "an object") }
        var values = (
            old: [FactValue?](repeating: nil, count: old.count),
            new: [FactValue?](repeating: nil, count: new.count)
        )
        for (name, node) in object.members {
            let places = (
                old: old.firstIndex { $0.name == name }, new: new.firstIndex { $0.name == name }
            )
            guard places.old != nil || places.new != nil else {
                let names =
                    old.map(\.name) + new.map(\.name).filter { name in !old.contains { $0.name == name } }
                throw SampleFinding(
                    code: "sample.unknown-fact",
                    message: FactNames.unknown(name),
                    hint: FactNames.hint(for: name, among: names),
                    place: [.member("facts"), .member(name)],
                    isKey: true
                )
            }
            guard node.kind != .null else { continue }
            if let place = places.old { values.old[place] = try Self.value(JSONNode(node), old[place]) }
            if let place = places.new { values.new[place] = try Self.value(JSONNode(node), new[place]) }
        }
        return values
    }

    private static func value(
        _ node: JSONNode,
        _ fact: (name: String, kind: ValueKind)
    ) throws(SampleFinding) -> FactValue {
        guard let value = FactLiteral.value(of: node, fact.kind) else {
            let place: JSONPath = [.member("facts"), .member(fact.name)]
            throw SampleFinding.wrongType(fact.name, FactLiteral.form(of: fact.kind), at: place)
        }
        return value
    }

    private static func text(_ name: String, _ root: JSONValue) throws(SampleFinding) -> String {
        guard let value = root.member(named: name) else {
            throw SampleFinding(code: "sample.missing-member", message: "\"\(name)\" is missing")
        }
        guard let text = value.string else { throw SampleFinding.wrongType(name, "a text") }
        return text
    }

    private static func integer(_ name: String, _ root: JSONValue) throws(SampleFinding) -> Int64? {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let number = value.int64 else { throw SampleFinding.wrongType(name, "a whole number") }
        return number
    }

    private static func environment(_ root: JSONValue) throws(SampleFinding) -> Environment? {
        guard let value = root.member("environment"), value.kind != .null else { return nil }
        guard let name = value.string.flatMap({ Environment(rawValue: $0) }) else {
            throw SampleFinding.wrongType("environment", "one of Apple's")
        }
        return name
    }

    /// RFC 3339, or milliseconds since 1970 as Apple writes them.
    private static func time(_ name: String, _ root: JSONValue) throws(SampleFinding) -> Int64? {
        guard let value = root.member(named: name), value.kind != .null else { return nil }
        guard let time = value.int64 ?? value.string.flatMap({ CivilTime($0)?.milliseconds }) else {
            throw SampleFinding.wrongType(name, "a date as 2026-11-21T00:00:00Z, or milliseconds since 1970")
        }
        return time
    }
}

/// What is wrong with a line of a sample.
struct SampleFinding: Error {
    let code: String
    let message: String
    var hint: String?
    /// Where the value stands in the line, or the key.
    var place: JSONPath = []
    var isKey = false
    /// The same as a column, from 1.
    var column: Int?

    static func wrongType(_ name: String, _ form: String, at place: JSONPath? = nil) -> SampleFinding {
        SampleFinding(
            code: "sample.wrong-type",
            message: "\(name) is not \(form)",
            place: place ?? [.member(name)]
        )
    }

    func placed(_ column: Int?) -> SampleFinding {
        var placed = self
        placed.column = column
        return placed
    }
}
