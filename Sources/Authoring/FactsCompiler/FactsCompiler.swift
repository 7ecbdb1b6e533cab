internal import DataFiles
public import DataFileWriting
public import System
public import Vocabulary

/// Compiles a table of facts (CSV or NDJSON) into the rows from which a facts file is written. Reads the table once.
///
///     let table = try FactsCompiler.read(FactsInput(bytes: text), format: .csv, schema: schema)
///     let stamp = DataFileStamp(builtAtMilliseconds: 0, writerVersion: "example 1.0")
///     let making = FactsFileIdentity(appAppleId: 1, environment: .sandbox, stamp: stamp)
///     var output = MemoryOutput()
///     try FactsCompiler.write(table.takeRows(), making, to: &output)
public enum FactsCompiler {
    /// A bad row that the compiler left out.
    public struct SkippedRow: Sendable, Hashable {
        /// What is wrong with the row.
        public let finding: Finding
        /// The row's bytes without the line end.
        public let bytes: [UInt8]
    }

    /// How ``FactsCompiler`` treats bad rows.
    public enum BadRows {
        /// Each bad row is an error.
        case refuse
        /// The compiler leaves bad rows out and passes each of them to the closure. The table is refused when more than this
        /// percentage of its rows is bad.
        case skip(maxPercent: Double, (SkippedRow) throws(SystemCallError) -> Void)
    }

    /// The rows that were left out.
    public struct Skipped: Sendable, Hashable {
        public internal(set) var count = 0
        /// The number of lines that they take.
        public internal(set) var lineCount = 0
        /// What is wrong with the first of them; at most ``FactsCompilerLimits/shownRowCount``.
        public internal(set) var first: [Finding] = []
    }

    /// The result of reading a table.
    public struct Table: ~Copyable {
        let rows: FactsBuilder
        /// The rows that were left out.
        public let skipped: Skipped
        /// The names in the table that the schema does not have; at most ``FactsCompilerLimits/ignoredCount``.
        public let ignored: [String]
        /// The facts of the schema that have no value in any row.
        public let alwaysMissing: [String]

        /// Returns the rows, ready to be written, and consumes the table.
        public consuming func takeRows() -> FactsBuilder { rows }
    }

    /// Reads a table of facts.
    ///
    /// - Parameters:
    ///   - input: the bytes of the table.
    ///   - format: the form of the table.
    ///   - schema: the facts that the table must have.
    ///   - optional: the names of the facts that it may lack.
    ///   - badRows: what to do with bad rows.
    ///   - progress: called after every block with the number of bytes read so far.
    /// - Returns: the rows, and what the author of the table should know about them.
    /// - Throws: all findings in the order of the table's lines, or the reason why the table cannot be read or a
    ///   skipped row not be written.
    public static func read(
        _ input: consuming FactsInput,
        format: FactsFormat,
        schema: FactsSchema,
        optional: Set<String> = [],
        badRows: BadRows = .refuse,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsCompilerError) -> Table {
        var reader = FactsReader(input, schema: schema, badRows: badRows)
        var rows = FactsRowAssembler(facts: schema.facts)
        let ignored: [String]
        do throws(FactsCompilerError) {
            switch format {
            case .csv:
                var source = CSVRows(optional: optional)
                try reader.readHeader(&source)
                try reader.readRows(&source, into: &rows, progress)
                ignored = source.ignored
            case .ndjson:
                var source = NDJSONRows(facts: schema.facts)
                try reader.readRows(&source, into: &rows, progress)
                ignored = source.ignored
            }
        } catch {
            // When the list of findings is complete, the repeated keys are added to it. A list that was cut short stays
            // as it is.
            guard case .findings(let findings) = error, findings.last?.code != Self.moreFindings.code else {
                throw error
            }
            let all = findings + Self.repeatedKeys(in: rows.finish())
            throw .findings(all.sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) })
        }
        // NDJSON comes from programs, which do not round, and may be a sample by the last digit.
        if format == .csv, let finding = rows.roundedKeys { throw .findings([finding]) }
        let alwaysMissing = rows.alwaysMissing.map(\.name)
        return Table(
            rows: rows.finish(), skipped: reader.skipped,
            ignored: Array(ignored.prefix(FactsCompilerLimits.ignoredCount)), alwaysMissing: alwaysMissing)
    }

    /// Writes the facts file of a table.
    ///
    /// - Throws: the keys that occur twice, each with both lines; or the reason why the file cannot be written.
    public static func write(
        _ rows: consuming FactsBuilder,
        _ making: FactsFileIdentity,
        to output: inout some PositionedOutput & ~Copyable,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsCompilerError) {
        try FactsBuildError.mapped(to: FactsCompilerError.init, giving: rows) {
            rows throws(FactsBuildError) in
            try rows.write(making, to: &output, progress: progress)
        }
    }

    /// Returns a finding for each key that occurs twice in a table that has other errors too. No file is written for
    /// such a table, but its author wants to see all errors in one run.
    private static func repeatedKeys(in rows: consuming FactsBuilder) -> [Finding] {
        guard rows.rowCount > 1 else { return [] }
        var output = MemoryOutput()
        let making = FactsFileIdentity(
            appAppleId: 1, environment: .sandbox,
            stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: ""))
        do throws(FactsCompilerError) {
            try write(rows, making, to: &output)
            return []
        } catch {
            guard case .findings(let findings) = error else { return [] }
            return findings
        }
    }

    /// The last finding for a table that was not read to its end.
    static let moreFindings = Finding(.moreFindings, "there may be more; reading ended here")

    /// Returns a hint with the name that `name` was probably meant to be, or nil when no name is similar.
    static func suggestion(for name: String, among names: [String]) -> String? {
        Spelling.nearest(to: name, among: names).map { "there is \"\($0)\"" }
    }
}

/// The form of a table of facts.
public enum FactsFormat: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values (RFC 4180) with a header row. An empty field, quoted or not, is a missing value.
    case csv
    /// One JSON object on each line. A missing member, `null` and an empty string are missing values.
    case ndjson

    /// Returns the format that the ending of a file name stands for, or nil for another ending.
    public init?(path: String) {
        if path.hasSuffix(".csv") {
            self = .csv
        } else if path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") {
            self = .ndjson
        } else {
            return nil
        }
    }
}
