/// Which column of a facts file holds which fact that a rules file declares.
public struct FactsBinding: Sendable, Hashable {
    /// By the number of the declared fact; nil for one that nothing reads and the facts file does not have.
    private let columns: [Int?]

    /// Binds the declared facts of a rules file to the columns of a facts file. Those that the rules read must be there.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    public init(rules: RulesFile, facts: FactsFile) throws(DataFileError) {
        try self.init(
            declared: rules.declaredFacts,
            read: rules.readFactNumbers,
            columns: facts.columns,
            columnsOffset: facts.columnsOffset
        )
    }

    /// Binds a list of facts, of which those with the numbers `read` must be there (nil: all), to a list of columns;
    /// `columnsOffset` says where these stand in their file.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    package init(
        declared: [(name: String, kind: ValueKind)],
        read: Set<Int>? = nil,
        columns: [FactColumn],
        columnsOffset: Int = 0
    ) throws(DataFileError) {
        var found: [Int?] = []
        for (index, fact) in declared.enumerated() {
            let number = columns.firstIndex { $0.name == fact.name }
            if let number, columns[number].kind == fact.kind {
                found.append(number)
                continue
            }
            if let read, !read.contains(index) {
                found.append(nil)
                continue
            }
            throw DataFileError(
                number == nil ? .factMissing : .factTypeMismatch,
                section: FactsSection.columns.name,
                offset: columnsOffset + (number ?? 0) * FactColumnRecord.byteCount,
                name: fact.name
            )
        }
        self.columns = found
    }

    /// The column of the declared fact with this number; nil when the rules declare no such fact, or nothing reads it and
    /// there is none.
    public func column(ofFact number: Int) -> Int? {
        guard number >= 0, number < columns.count else { return nil }
        return columns[number]
    }
}
