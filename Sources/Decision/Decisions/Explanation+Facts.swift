public import DataFiles

extension Explanation {
    /// The name and value of every declared fact, in the order of the declarations; the value is nil where the fact is
    /// missing.
    public var declaredFacts: [(name: String, value: FactValue?)] {
        let reader = reader
        return file.declaredFacts.enumerated().map { index, fact in
            (fact.name, reader.value(of: .declared(index)))
        }
    }
}
