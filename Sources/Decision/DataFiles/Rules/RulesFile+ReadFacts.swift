extension RulesFile {
    /// The declared facts that a condition, a split or a cap reads, in the order of their numbers. A facts file must
    /// have these. A fact that is only declared need not be there: the author may declare it before the facts table has
    /// it.
    public var readFacts: [(name: String, kind: ValueKind)] {
        let numbers = readFactNumbers
        return declaredFacts.enumerated().filter { numbers.contains($0.offset) }.map(\.element)
    }

    /// True when a decision can depend on the facts file: on a declared fact that is read, on whether there is a record
    /// of the subscriber, or on how old the file is.
    public var dependsOnFacts: Bool {
        readFactsOfAnyKind.contains { fact in
            switch fact {
            case .declared, .factsFound, .factsAgeSeconds: true
            case .productId, .userLocale, .language, .environment, .originalTransactionId, .now: false
            }
        }
    }

    /// The numbers of the declared facts that are read.
    var readFactNumbers: Set<Int> {
        Set(readFactsOfAnyKind.compactMap { if case .declared(let index) = $0 { index } else { nil } })
    }

    private var readFactsOfAnyKind: Set<Fact> {
        withBytes { bytes in
            var read: Set<Fact> = []
            func note(_ number: UInt16) {
                if let fact = Fact(number: number) { read.insert(fact) }
            }
            for index in 0..<tables.conditions.count {
                tables.conditions.record(at: index, in: bytes).map { note($0.fact) }
            }
            for index in 0..<tables.splits.count {
                tables.splits.record(at: index, in: bytes).flatMap { UInt16(exactly: $0.unit) }.map(note)
            }
            if let caps = tables.caps.record(at: 0, in: bytes) {
                note(caps.acceptedFact)
                note(caps.lastFact)
            }
            return read
        }
    }
}
