internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads `caps`: the limits on how often a subscriber gets an offer.
package struct CapsReader {
    let facts: FactTable

    /// The fact with the number of accepted offers, when the source names no other.
    package static let acceptedFact = "offersAccepted"
    /// The fact with the date of the last offer, when the source names no other.
    package static let lastFact = "lastOfferAt"
    /// The words for `whenUnknown`: whether an offer is made to a subscriber whose facts are not known.
    package static let whenUnknown = [(word: "refuse", allows: false), (word: "allow", allows: true)]

    func read(_ value: SourceValue) -> RulesModel.OfferCaps? {
        guard value.isObject else { return nil }
        value.checkKeys(.caps)
        guard let offer = value.required("offer"), offer.isObject else { return nil }
        offer.checkKeys(.offerCaps)
        var caps = RulesModel.OfferCaps()
        let (accepted, days) = (offer.member("maxAccepted"), offer.member("minDaysSinceLast"))
        if accepted == nil, days == nil {
            offer.report(.missingKey, "a cap needs \"maxAccepted\", \"minDaysSinceLast\" or both")
        }
        caps.maxAccepted = accepted?.integer(in: 1...Int64.max, "maxAccepted")
        caps.minDaysSinceLast = days?.integer(in: 1...DataFileLimits.dayCount, "minDaysSinceLast")
        caps.acceptedFact = fact("acceptedFact", Self.acceptedFact, .integer, of: offer, for: accepted)
        caps.lastFact = fact("lastFact", Self.lastFact, .date, of: offer, for: days)
        if let word = offer.member("whenUnknown") {
            let choice = word.choice(of: Self.whenUnknown, named: \.word, RulesReason.unknownValue) {
                "\"\($0)\" is not a value of \"whenUnknown\""
            }
            caps.allowsUnknown = choice?.allows ?? false
        }
        return caps
    }

    /// Returns the fact that a cap reads: the fact that `key` names, else the usual one, which must then be declared.
    ///
    /// Without the cap, a declared usual fact still counts. The number of offers separates a subscriber who never had
    /// an offer, and so has no date of a last one, from a subscriber of whom nothing is known. A subscriber with a
    /// number above 0 but no date counts as unknown.
    private func fact(
        _ key: String, _ usual: String, _ kind: ValueKind, of offer: SourceValue, for cap: SourceValue?
    ) -> Fact? {
        if let named = offer.member(key) {
            guard let entry = facts.find(named), let found = entry.kind else { return nil }
            guard found == kind else {
                named.report(.wrongFactKind, "\"\(entry.name)\" is \(found.words), a cap needs \(kind.words)")
                return nil
            }
            guard case .declared = entry.fact else {
                named.report(
                    .unknownFact, "a cap reads a fact of the facts file", hint: "declare it in \"facts\"")
                return nil
            }
            return entry.fact
        }
        guard let cap else { return facts[usual].flatMap { $0.kind == kind ? $0.fact : nil } }
        guard let entry = facts[usual] else {
            cap.reportKey(
                .unknownFact, "the cap reads the fact \"\(usual)\", which is not declared",
                hint: "declare it in \"facts\", or name another one with \"\(key)\"")
            return nil
        }
        guard let found = entry.kind else { return nil }
        guard found == kind else {
            cap.reportKey(
                .wrongFactKind, "the cap reads the fact \"\(usual)\", which is \(found.words)",
                hint: "it needs \(kind.words)")
            return nil
        }
        return entry.fact
    }
}
