internal import DataFiles
internal import Vocabulary

/// The strings of a request as numbers of a file, each looked up at most once and only when a rule asks for it.
struct RequestStrings {
    private let request: DecisionRequest
    private var found: [5 of EntryReference?] = .init(repeating: nil)

    init(_ request: DecisionRequest) {
        self.request = request
    }

    /// The number of a fact's string; none when the file has no such string, so that nothing equals it.
    mutating func reference(of fact: Fact, _ table: StringTable, _ bytes: RawSpan) -> EntryReference {
        let slot = Int(fact.rawValue) - 1
        guard slot < Fact.stringCount else { return .none }
        if let known = found[slot] { return known }
        let reference = withBytes(of: fact) { table.find($0, in: bytes) }
        found[slot] = reference
        return reference
    }

    /// Lends the UTF-8 bytes of a fact's string; empty for facts that are no strings.
    func withBytes<Result>(of fact: Fact, _ body: (Span<UInt8>) -> Result) -> Result {
        switch fact {
        case .productId: body(request.productId.utf8Span.span)
        case .userLocale: body(request.userLocale.utf8Span.span)
        case .language: withLanguage(body)
        case .environment: body(request.environment.rawValue.utf8Span.span)
        case .originalTransactionId: body(request.originalTransactionId.utf8Span.span)
        case .now: body("".utf8Span.span)
        }
    }

    private func withLanguage<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let locale = request.userLocale.utf8Span.span
        var count = 0
        while count < locale.count, locale[count] != UInt8(ascii: "-") { count += 1 }
        return body(locale.extracting(first: count))
    }
}

extension Fact {
    /// The facts that are strings have the numbers 1 to 5.
    fileprivate static var stringCount: Int { 5 }
}
