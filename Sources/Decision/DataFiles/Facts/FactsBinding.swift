/// Tells in which column of a facts file each declared fact of a rules file is.
public struct FactsBinding: Sendable, Hashable {
    /// The column of each declared fact, by the number of the fact. Nil for a fact that no rule reads and that the
    /// facts file does not have with this kind of value.
    private let columns: [Int?]

    /// Binds the declared facts of a rules file to the columns of a facts file. Every fact that the rules read must
    /// have a column.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    public init(rules: RulesFile, facts: FactsFile) throws(DataFileError) {
        try self.init(
            declared: rules.declaredFacts, read: rules.readFactNumbers, columns: facts.columns,
            columnsOffset: facts.columnsOffset)
    }

    /// Binds a list of declared facts to a list of columns. The facts with the numbers in `read` must have a column;
    /// nil means all facts. `columnsOffset` is the place of the columns in their file, for errors.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    package init(
        declared: [(name: String, kind: ValueKind)], read: Set<Int>? = nil, columns: [FactColumn],
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
                number == nil ? .factMissing : .factTypeMismatch, section: FactsSection.columns.name,
                offset: columnsOffset + (number ?? 0) * FactColumnRecord.byteCount, name: fact.name)
        }
        self.columns = found
    }

    /// Returns the column of the declared fact with this number. Returns nil when the rules declare no such fact, or
    /// when no rule reads it and no column has it.
    public func column(ofFact number: Int) -> Int? {
        guard number >= 0, number < columns.count else { return nil }
        return columns[number]
    }
}
