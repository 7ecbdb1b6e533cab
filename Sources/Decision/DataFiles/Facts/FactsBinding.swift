/// Which column of a facts file holds which fact that a rules file declares.
public struct FactsBinding: Sendable, Hashable {
    /// By the number of the declared fact.
    private let columns: [Int]

    /// Binds the declared facts of a rules file to the columns of a facts file.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    public init(rules: RulesFile, facts: FactsFile) throws(DataFileError) {
        try self.init(
            declared: rules.declaredFacts,
            columns: facts.columns,
            columnsOffset: facts.tables.columns.offset(of: 0)
        )
    }

    /// Binds a list of facts to a list of columns; `columnsOffset` says where these stand in their file.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    package init(
        declared: [(name: String, kind: ValueKind)],
        columns: [FactColumn],
        columnsOffset: Int = 0
    ) throws(DataFileError) {
        var found: [Int] = []
        for fact in declared {
            guard let number = columns.firstIndex(where: { $0.name == fact.name }) else {
                throw DataFileError(
                    .factMissing,
                    section: FactsSection.columns.name,
                    offset: columnsOffset,
                    name: fact.name
                )
            }
            guard columns[number].kind == fact.kind else {
                throw DataFileError(
                    .factTypeMismatch,
                    section: FactsSection.columns.name,
                    offset: columnsOffset + number * FactColumnRecord.byteCount,
                    name: fact.name
                )
            }
            found.append(number)
        }
        self.columns = found
    }

    /// The column of the declared fact with this number; nil when the rules declare no such fact.
    public func column(ofFact number: Int) -> Int? {
        number >= 0 && number < columns.count ? columns[number] : nil
    }
}
