/// A reader of one form of table: finds the rows one after the other and passes their values to an assembler.
protocol FactsRowSource {
    /// Reads the row that begins at `place.start`.
    mutating func takeRow(_ bytes: Span<UInt8>, _ place: FactsRowPlace, into rows: inout FactsRowAssembler)
        -> FactsRowOutcome
}

/// The part of the bytes in memory in which a row is looked for: the start of the row and the end of the bytes.
struct FactsRowPlace {
    let start: Int
    let end: Int
    /// True when the table ends at `end`.
    let isLast: Bool
}

/// The result of reading one row.
enum FactsRowOutcome {
    /// The row is good and was passed to the assembler. It ends at `end` and takes `lineCount` lines.
    case good(end: Int, lineCount: Int)
    /// The line is empty and holds no row.
    case blank(end: Int)
    /// The row is bad, but its end is known, so the next row can be read.
    case bad(FactsRowFault, end: Int, lineCount: Int)
    /// The end of the row is not in memory yet.
    case unfinished
}

/// All faults of a table's header row.
struct FactsHeaderFaults: Error {
    let faults: [FactsRowFault]
}

/// A fault in a row, and the position of the faulty byte in memory.
struct FactsRowFault {
    let fault: FactsRowAssembler.Fault
    let position: Int
}
