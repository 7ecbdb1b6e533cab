import Facts
import JSON
import Rules
import System

extension RandomRules {
    /// Returns up to four segments. Each segment refers only to earlier segments.
    mutating func segments() -> [(String, JSONNode)] {
        var segments: [(String, JSONNode)] = []
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let names = segments.map(\.0)
            segments.append(("seg\(index)", condition(depth: Int.random(in: 0...3, using: &random), names)))
        }
        return segments
    }

    mutating func condition(depth: Int, _ segments: [String]) -> JSONNode {
        guard depth > 0, chance(80) else { return predicate(segments) }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .object([("not", condition(depth: depth - 1, segments))])
        case 1: return .object([("any", .array(children(depth, segments)))])
        default: return .object([("all", .array(children(depth, segments)))])
        }
    }

    private mutating func children(_ depth: Int, _ segments: [String]) -> [JSONNode] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in condition(depth: depth - 1, segments) }
    }

    private mutating func predicate(_ segments: [String]) -> JSONNode {
        if !segments.isEmpty, chance(20) { return .object([("segment", .string(pick(segments)))]) }
        let builtIn: [(String, ValueKind)] = [
            ("productId", .string), ("productId", .string), ("userLocale", .string), ("language", .string),
            ("environment", .string), ("originalTransactionId", .string), ("now", .date),
            ("factsFound", .boolean), ("factsAgeSeconds", .integer),
        ]
        let (fact, kind) = chance(50) ? pick(builtIn) : pick(Self.facts.map { ($0.name, $0.kind) })
        // `eq` and `in` are in the list twice, because rules use them most.
        let operations = ConditionOperation.predicates.filter { $0.fits(kind) } + [.equal, .isIn]
        let operation = pick(operations)
        return .object([("fact", .string(fact)), (operation.word, operand(operation, fact, kind))])
    }

    private mutating func operand(_ operation: ConditionOperation, _ fact: String, _ kind: ValueKind)
        -> JSONNode
    {
        switch operation.operand {
        case .list:
            return .array((0..<Int.random(in: 1...4, using: &random)).map { _ in value(fact, kind) })
        case .flag: return .boolean(chance(50))
        case .days: return .integer(pick([0, 1, 10, 20, 30]))
        case .range: return .array(range(kind))
        case .part:
            guard case .string(let text) = value(fact, kind), !text.isEmpty else { return .string("a") }
            let count = Int.random(in: 1...text.count, using: &random)
            // The value must have the part in the way of the operation: the compiler requires that for enumerations.
            let parts = [String(text.prefix(count)), String(text.suffix(count)), text]
            let fitting = parts.first { part in
                Predicate(.productId, operation, [.string(part)]).isTrue(of: .string(text)) == true
            }
            return .string(fitting ?? text)
        case .value, .conditions, .segment: return value(fact, kind)
        }
    }

    private mutating func value(_ fact: String, _ kind: ValueKind) -> JSONNode {
        switch (kind, fact) {
        case (.boolean, _): return .boolean(chance(50))
        case (.integer, "factsAgeSeconds"): return .integer(pick([0, 60, 61, 3600]))
        case (.integer, _): return .integer(pick(Self.integers))
        case (.date, _): return .string(pick(Self.dates))
        case (_, "productId"): return .string(pick(Self.products))
        case (_, "userLocale"): return .string(pick(Self.locales))
        case (_, "language"): return .string(pick(["en", "de", "es", "zh", "fr"]))
        case (_, "environment"): return .string(pick(Self.environments))
        case (_, "originalTransactionId"): return .string(pick(Self.transactions))
        case (_, "storefront"): return .string(pick(Self.storefronts))
        default: return .string(pick(Array(Self.strings.dropFirst())))
        }
    }

    private mutating func range(_ kind: ValueKind) -> [JSONNode] {
        if kind == .date {
            let first = Int.random(in: 0..<4, using: &random)
            return [
                .string(Self.dates[first]), .string(Self.dates[Int.random(in: first..<4, using: &random)]),
            ]
        }
        let ends = [pick(Self.integers), pick(Self.integers)].sorted()
        return ends.map { .integer($0) }
    }
}
