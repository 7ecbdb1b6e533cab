/// A way to write rows down: finds one row after the other and gives its values to an assembler.
protocol FactsRowSource {
    /// How many fields a row has, where their quotation marks may enclose line feeds; nil where no row has any inside.
    var quotedFieldCount: Int? { get }

    /// Takes the row that begins at `start` of what is in memory.
    mutating func takeRow(
        _ bytes: Span<UInt8>,
        _ place: FactsRowPlace,
        into rows: inout FactsRowAssembler
    ) -> FactsRowOutcome
}

/// Where a row begins and how far memory goes.
struct FactsRowPlace {
    let start: Int
    let end: Int
    /// Whether nothing comes behind `end`.
    let isLast: Bool
}

/// What became of a row.
enum FactsRowOutcome {
    /// It is good, has been given to the assembler and ends here; so many lines were taken.
    case good(end: Int, lineCount: Int)
    /// There was no row, but a line without one.
    case blank(end: Int)
    /// It is wrong, but the next row can be found.
    case bad(FactsRowFault, end: Int, lineCount: Int)
    /// More of it has to be read first.
    case unfinished
}

/// Everything that is wrong with the header row of a table.
struct FactsHeaderFaults: Error {
    let faults: [FactsRowFault]
}

/// What is wrong with a row, and at which byte of what is in memory.
struct FactsRowFault {
    let fault: FactsRowAssembler.Fault
    let position: Int
}
