internal import DataFiles
internal import Vocabulary

/// The facts of one request, each looked up at most once and only when somebody asks for it; strings as numbers of
/// the rules file. Held in line, nothing is allocated.
struct FactSlots {
    private let request: DecisionRequest
    private let subscriber: SubscriberFacts
    private var states: [72 of State] = .init(repeating: .unread)
    private var values: [72 of Int64] = .init(repeating: 0)

    private enum State: UInt8 {
        case unread, missing, present
    }

    /// What a string has for a number that is not in the rules file: it equals nothing there.
    static let unknownString = Int64(EntryReference.none.number)

    init(_ request: DecisionRequest, _ subscriber: SubscriberFacts) {
        self.request = request
        self.subscriber = subscriber
    }

    /// The value of a fact as the number that stands for it in the rules file, a string as its number there; nil when
    /// it is missing or not of the kind.
    @inline(__always)
    mutating func value(
        of fact: UInt16,
        _ kind: ValueKind,
        _ strings: StringTable,
        _ bytes: RawSpan
    ) -> Int64? {
        guard let slot = Self.slot(of: fact) else { return nil }
        switch states[slot] {
        case .present: return values[slot]
        case .missing: return nil
        case .unread: return read(fact, kind, slot, strings, bytes)
        }
    }

    @inline(never)
    private mutating func read(
        _ number: UInt16,
        _ kind: ValueKind,
        _ slot: Int,
        _ strings: StringTable,
        _ bytes: RawSpan
    ) -> Int64? {
        let value = unread(number, kind, strings, bytes)
        states[slot] = value == nil ? .missing : .present
        values[slot] = value ?? 0
        return value
    }

    private func unread(
        _ number: UInt16,
        _ kind: ValueKind,
        _ strings: StringTable,
        _ bytes: RawSpan
    ) -> Int64? {
        guard let fact = Fact(number: number) else { return nil }
        if kind == .string {
            return withBytes(of: fact) { Int64(strings.find($0, in: bytes).number) }
        }
        switch fact {
        case .now: return kind == .date ? request.nowMilliseconds : nil
        case .factsFound: return kind == .boolean ? (subscriber.isFound ? 1 : 0) : nil
        case .factsAgeSeconds: return kind == .integer ? subscriber.ageSeconds : nil
        case .declared(let index): return subscriber.number(ofFact: index, kind)
        default: return nil
        }
    }

    /// Eight that are built in, then those declared.
    @inline(__always)
    private static func slot(of fact: UInt16) -> Int? {
        if fact >= 1, fact <= 8 { return Int(fact) - 1 }
        if fact >= 256, fact < 256 + 64 { return Int(fact) - 256 + 8 }
        return nil
    }

    /// Whether a fact has a value.
    func hasValue(_ fact: Fact) -> Bool {
        switch fact {
        case .productId, .userLocale, .language, .environment, .originalTransactionId, .now, .factsFound: true
        case .factsAgeSeconds: subscriber.ageSeconds != nil
        case .declared(let index): subscriber.hasValue(ofFact: index)
        }
    }

    /// Lends the UTF-8 of a fact that is a string.
    ///
    /// - Returns: what `body` returns; nil, without calling it, when the fact is missing or no string.
    func withBytes<Result>(of fact: Fact, _ body: (Span<UInt8>) -> Result) -> Result? {
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

    private func withLanguage<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let locale = request.userLocale.utf8Span.span
        var count = 0
        while count < locale.count, locale[count] != UInt8(ascii: "-") { count += 1 }
        return body(locale.extracting(first: count))
    }
}
