public import Facts
internal import System

/// The facts about the subscriber that the request itself does not have.
public enum SubscriberFacts: Sendable {
    /// No facts: there is no facts file (`ageSeconds` is nil), or the file has no record of the subscriber.
    case none(ageSeconds: Int64?)
    case row(FactsFile, FactsRow, FactsBinding, ageSeconds: Int64)
    /// For tools and tests. A fact is missing when its value is nil or the list is too short for it.
    case literal([FactValue?], ageSeconds: Int64?)

    public var isFound: Bool {
        switch self {
        case .none: false
        case .row, .literal: true
        }
    }

    public var ageSeconds: Int64? {
        switch self {
        case .none(let age), .literal(_, let age): age
        case .row(_, _, _, let age): age
        }
    }
}

extension SubscriberFacts {
    func number(ofFact index: Int, _ kind: ValueKind) -> Int64? {
        switch self {
        case .none: return nil
        case .row(let file, let row, let binding, _):
            guard let column = binding.column(ofFact: index) else { return nil }
            switch kind {
            case .string: return nil
            case .date: return file.date(column: column, row: row)
            case .integer: return file.integer(column: column, row: row)
            case .boolean: return file.boolean(column: column, row: row).map { $0 ? 1 : 0 }
            }
        case .literal(let values, _):
            guard index < values.count, let value = values[index], value.kind == kind, kind != .string else {
                return nil
            }
            return value.number
        }
    }

    func withString<Result>(ofFact index: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
        switch self {
        case .none: return nil
        case .row(let file, let row, let binding, _):
            guard let column = binding.column(ofFact: index) else { return nil }
            return file.withString(column: column, row: row, body)
        case .literal(let values, _):
            guard index < values.count, case .string(let text)? = values[index] else { return nil }
            return body(text.utf8Span.span)
        }
    }

    func hasValue(ofFact index: Int) -> Bool {
        switch self {
        case .none: false
        case .row(let file, let row, let binding, _):
            binding.column(ofFact: index).map { file.isPresent(column: $0, row: row) } ?? false
        case .literal(let values, _): index < values.count && values[index] != nil
        }
    }
}

extension SubscriberFacts {
    public init(
        of originalTransactionId: String, in file: FactsFile, _ binding: FactsBinding, ageSeconds: Int64
    ) {
        guard let row = FactsKey.parse(decimal: originalTransactionId).flatMap({ file.find($0) }) else {
            self = .none(ageSeconds: ageSeconds)
            return
        }
        self = .row(file, row, binding, ageSeconds: ageSeconds)
    }

    public func values(of kinds: [ValueKind]) -> [FactValue?] {
        kinds.enumerated().map { value(ofFact: $0, $1) }
    }

    func value(ofFact index: Int, _ kind: ValueKind) -> FactValue? {
        switch kind {
        case .string: withString(ofFact: index) { .string(String(decoding: $0.copied(), as: UTF8.self)) }
        case .date: number(ofFact: index, kind).map { .date($0) }
        case .integer: number(ofFact: index, kind).map { .integer($0) }
        case .boolean: number(ofFact: index, kind).map { .boolean($0 != 0) }
        }
    }
}

/// Each fact is looked up at most once. The values are stored in line; nothing is allocated.
struct FactSlots {
    let request: DecisionRequest
    private let subscriber: SubscriberFacts
    private var values: [72 of Int64] = .init(repeating: unread)

    /// The few values that equal one of the two marks are read anew each time.
    private static var unread: Int64 { .min }
    private static var missing: Int64 { .min + 1 }

    init(_ request: DecisionRequest, _ subscriber: SubscriberFacts) {
        self.request = request
        self.subscriber = subscriber
    }

    @inline(__always)
    mutating func value(of number: UInt16, _ kind: UInt8, _ file: RulesFile, _ bytes: RawSpan) -> Int64? {
        // First come the built-in facts 1 to 8, then the declared ones from 256 on.
        let slot = number <= 8 ? Int(number) &- 1 : Int(number) &- 248
        guard values.indices.contains(slot) else { return nil }
        let value = values[slot]
        if value > Self.missing { return value }
        if value == Self.missing { return nil }
        return read(number, slot, kind, file, bytes)
    }

    @inline(never)
    private mutating func read(
        _ number: UInt16, _ slot: Int, _ kind: UInt8, _ file: RulesFile, _ bytes: RawSpan
    ) -> Int64? {
        guard let kind = ValueKind(rawValue: kind), let fact = Fact(number: number) else { return nil }
        let value = unread(fact, kind, file, bytes)
        if let value {
            values[slot] = value > Self.missing ? value : Self.unread
        } else {
            values[slot] = Self.missing
        }
        return value
    }

    private mutating func unread(_ fact: Fact, _ kind: ValueKind, _ file: RulesFile, _ bytes: RawSpan)
        -> Int64?
    {
        if kind == .string {
            return withBytes(of: fact) { Int64(file.tables.strings.find($0, in: bytes).number) }
        }
        switch fact {
        case .now: return kind == .date ? request.nowMilliseconds : nil
        case .factsFound: return kind == .boolean ? (subscriber.isFound ? 1 : 0) : nil
        case .factsAgeSeconds: return kind == .integer ? subscriber.ageSeconds : nil
        case .declared(let index): return subscriber.number(ofFact: index, kind)
        // These facts are strings, which are read above.
        case .productId, .userLocale, .language, .environment, .originalTransactionId: return nil
        }
    }

    mutating func hasValue(_ fact: Fact) -> Bool {
        switch fact {
        case .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound: true
        case .factsAgeSeconds: subscriber.ageSeconds != nil
        case .declared(let index): subscriber.hasValue(ofFact: index)
        }
    }

    mutating func withBytes<Result>(of fact: Fact, _ body: (Span<UInt8>) -> Result) -> Result? {
        switch fact {
        case .productId: body(request.productId.utf8Span.span)
        case .userLocale: body(request.userLocale.utf8Span.span)
        case .language: withLanguage(body)
        case .environment: body(request.environment.rawValue.utf8Span.span)
        case .originalTransactionId: body(request.originalTransactionId.utf8Span.span)
        case .now, .factsFound, .factsAgeSeconds: nil
        case .declared(let index): subscriber.withString(ofFact: index, body)
        }
    }

    private mutating func withLanguage<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let locale = request.userLocale.utf8Span.span
        var count = 0
        while count < locale.count, locale[count] != UInt8(ascii: "-") { count += 1 }
        return body(locale.extracting(first: count))
    }
}
