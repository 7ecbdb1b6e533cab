internal import Facts
internal import System

/// The facts of one request. Each fact is looked up at most once, when the evaluation first asks for it. A string is
/// kept as its number in the rules file. The values are stored in line; nothing is allocated.
struct FactSlots {
    let request: DecisionRequest
    private let subscriber: SubscriberFacts
    /// The value of each fact, or one of the two marks below.
    private var values: [72 of Int64] = .init(repeating: unread)

    /// The mark of a fact that was not read yet. The few values that equal one of the two marks also get it, and are
    /// read anew each time.
    private static var unread: Int64 { .min }
    /// The mark of a fact that is missing.
    private static var missing: Int64 { .min + 1 }

    init(_ request: DecisionRequest, _ subscriber: SubscriberFacts) {
        self.request = request
        self.subscriber = subscriber
    }

    /// Returns the value of the fact with this number, as the number that the rules file has for it; nil when the fact is
    /// missing or of another kind.
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

    /// Lends the UTF-8 of a string fact to `body`.
    ///
    /// - Returns: what `body` returns; nil, without calling `body`, when the fact is missing or not a string.
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
