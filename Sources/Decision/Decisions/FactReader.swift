internal import DataFiles
internal import Vocabulary

/// Reads the values that facts had in a request, for display.
struct FactReader {
    let request: DecisionRequest
    let facts: SubscriberFacts
    let file: RulesFile

    /// Returns the value of a fact; nil when the fact is missing.
    func value(of fact: Fact) -> FactValue? {
        switch fact {
        case .productId: return .string(request.productId)
        case .userLocale: return .string(request.userLocale)
        case .language: return .string(String(request.userLocale.prefix { $0 != "-" }))
        case .environment: return .string(request.environment.rawValue)
        case .originalTransactionId: return .string(request.originalTransactionId)
        case .now: return .date(request.nowMilliseconds)
        case .factsFound: return .boolean(facts.isFound)
        case .factsAgeSeconds: return facts.ageSeconds.map { .integer($0) }
        case .declared(let index):
            return file.kind(of: fact).flatMap { facts.value(ofFact: index, $0) }
        }
    }

    /// Returns the value as text, a string without quotes; `missing` when the fact is missing.
    func text(of fact: Fact) -> String {
        switch value(of: fact) {
        case .string(let text)?: text
        case let value?: value.text
        case nil: "missing"
        }
    }

    static func text(of bytes: Span<UInt8>) -> String {
        var copy: [UInt8] = []
        for index in bytes.indices { copy.append(bytes[index]) }
        return String(decoding: copy, as: UTF8.self)
    }
}
