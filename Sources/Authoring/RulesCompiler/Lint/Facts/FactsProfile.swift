internal import DataFiles

/// What occurs in one column of a facts file. It needs one look at each row.
struct FactsProfile {
    /// How many rows have a value.
    private(set) var presentCount = 0
    /// The least and the greatest number.
    private(set) var range: ClosedRange<Int64>?
    /// The ranges of strings that were asked for, and whether a row has one of each.
    private(set) var occurring: [Range<Int>: Bool] = [:]
    /// Different strings, the first that the rows have.
    private(set) var strings: Set<Int> = []

    /// As many different strings are kept for hints.
    static let stringLimit = 1_000

    /// Reads a column.
    ///
    /// - Parameters:
    ///   - column: the number of the column.
    ///   - facts: the facts file.
    ///   - asked: the ranges of strings for which to find whether a row has one of them.
    init(_ column: Int, _ facts: LintFacts, asked: Set<Range<Int>>) {
        let file = facts.file
        for range in asked { occurring[range] = false }
        var open = asked.filter { !$0.isEmpty }
        for row in file.rows {
            switch file.columns[column].kind {
            case .string:
                guard let number = file.stringNumber(column: column, row: row) else { continue }
                presentCount += 1
                if strings.count < Self.stringLimit { strings.insert(number) }
                for range in open where range.contains(number) {
                    occurring[range] = true
                    open.remove(range)
                }
            case .integer:
                guard let number = file.integer(column: column, row: row) else { continue }
                presentCount += 1
                range = min(range?.lowerBound ?? number, number)...max(range?.upperBound ?? number, number)
            case .date, .boolean:
                if file.isPresent(column: column, row: row) { presentCount += 1 }
            }
        }
    }

    /// The kept strings in order.
    func texts(_ file: FactsFile) -> [String] { strings.sorted().compactMap { file.string(numbered: $0) } }
}
