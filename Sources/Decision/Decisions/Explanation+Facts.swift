public import DataFiles

extension Explanation {
    /// What every declared fact was, in the order of the declarations; nil where it was missing.
    public var declaredFacts: [(name: String, value: FactValue?)] {
        let reader = reader
        return file.declaredFacts.enumerated().map { index, fact in
            (fact.name, reader.value(of: .declared(index)))
        }
    }
}
