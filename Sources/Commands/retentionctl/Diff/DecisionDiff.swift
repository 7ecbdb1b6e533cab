internal import DataFiles
internal import Decisions
internal import System

/// A sample of requests that is decided with two rules files.
struct DecisionDiff {
    /// The file with the sample; `-` for standard input.
    let samplePath: String
    /// The facts file where subscribers are looked up; nil without one.
    let factsPath: String?
    /// The file of the key that makes pseudonyms; nil without one. Needs facts.
    let identifierKeyPath: String?
    /// The time of requests that do not have one; nil for now.
    let atMilliseconds: Int64?
    /// How many examples are shown of each change.
    let exampleCount: Int

    /// Decides the sample with both files.
    ///
    /// - Throws: the errors of the sample, the facts and the key.
    func report(old: RulesFile, new: RulesFile) throws -> DiffReport {
        var sample = try Sample(reading: samplePath, old: old, new: new)
        var known: (old: FactsSource, new: FactsSource)?
        if let factsPath {
            let file = try CompiledFacts.open(factsPath, check: .structure)
            known = (try FactsSource(file, factsPath, for: old), try FactsSource(file, factsPath, for: new))
            if let identifierKeyPath { try sample.identify(by: identifierKeyPath, among: file) }
        }
        var comparison = DecisionComparison(old: old, new: new, exampleCount: exampleCount)
        let present = atMilliseconds ?? Clock.wallMilliseconds()
        for request in sample.requests {
            let now = request.nowMilliseconds ?? present
            comparison.add(
                request, atMilliseconds: now, facts: Self.facts(of: request, known, atMilliseconds: now),
                areFactsKnown: areFactsKnown(of: request))
        }
        return DiffReport(
            comparison: comparison, sample: sample, path: samplePath, nowMilliseconds: present,
            missingOption: factsPath == nil ? "--facts" : "--identifier-key")
    }

    /// Returns true when the sample or a facts file says what facts the subscriber has, even if that is "no record".
    private func areFactsKnown(of request: SampleRequest) -> Bool {
        if request.facts != nil { return true }
        switch request.subscriber {
        case .originalTransactionId: return factsPath != nil
        // With the key, every subscriber of the facts file has already been found by its pseudonym.
        case .pseudonym: return identifierKeyPath != nil
        }
    }

    /// Returns the facts of the subscriber: those in the sample, else those in the facts file.
    private static func facts(
        of request: SampleRequest, _ known: (old: FactsSource, new: FactsSource)?, atMilliseconds now: Int64
    ) -> (old: SubscriberFacts, new: SubscriberFacts) {
        let age = request.factsAgeSeconds
        if let facts = request.facts {
            return (.literal(facts.old, ageSeconds: age), .literal(facts.new, ageSeconds: age))
        }
        guard let known else { return (.none(ageSeconds: age), .none(ageSeconds: age)) }
        let unit = request.subscriber.unit
        return (
            known.old.facts(of: unit, atMilliseconds: now, ageSeconds: age),
            known.new.facts(of: unit, atMilliseconds: now, ageSeconds: age)
        )
    }
}
