package import Facts
internal import Rules
package import System

package enum FactsCompiler {
    package struct SkippedRow: Sendable, Hashable {
        package let finding: Finding
        package let bytes: [UInt8]
    }

    package enum BadRows {
        case refuse
        /// Bad rows are left out and passed to the closure. The table is refused when more than this percentage is bad.
        case skip(maxPercent: Double, (SkippedRow) throws(SystemCallError) -> Void)
    }

    package struct Skipped: Sendable, Hashable {
        package internal(set) var count = 0
        package internal(set) var lineCount = 0
        /// What is wrong with them: the first row of each kind, and how many there are.
        package internal(set) var kinds: [Finding] = []
    }

    package struct Table: ~Copyable {
        let rows: FactsBuilder
        package let skipped: Skipped
        /// The names in the table that the schema does not have; at most ``FactsCompilerLimits/ignoredCount``.
        package let ignored: [String]
        package let alwaysMissing: [String]

        package consuming func takeRows() -> FactsBuilder { rows }

        package var rowCount: Int { rows.rowCount }
    }

    /// Throws one finding of each kind in the order of the lines. `progress` gets the number of bytes read so far.
    package static func read(
        _ input: consuming FactsInput,
        format: FactsFormat,
        schema: FactsSchema,
        optional: Set<String> = [],
        badRows: BadRows = .refuse,
        duplicates: FactsBuilder.Duplicates = .error,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsCompilerError) -> Table {
        var reader = FactsReader(input, badRows: badRows)
        var rows = FactsRowAssembler(facts: schema.facts, duplicates: duplicates)
        let ignored: [String]
        switch format {
        case .csv:
            var source = CSVRows(schema, optional: optional)
            try reader.readHeader(&source)
            try reader.readRows(&source, into: &rows, progress)
            ignored = source.ignored
        case .ndjson:
            var source = NDJSONRows(schema)
            try reader.readRows(&source, into: &rows, progress)
            ignored = source.ignored
        }
        // NDJSON comes from programs, which do not round, and may be a sample by the last digit.
        if format == .csv, let finding = rows.roundedKeys { throw .findings([finding]) }
        let alwaysMissing = rows.alwaysMissing.map(\.name)
        return Table(
            rows: rows.finish(), skipped: reader.skipped,
            ignored: Array(ignored.prefix(FactsCompilerLimits.ignoredCount)), alwaysMissing: alwaysMissing)
    }

    package static func write(
        _ rows: consuming FactsBuilder,
        _ making: FactsFileIdentity,
        to output: inout some PositionedOutput & ~Copyable
    ) throws(FactsCompilerError) {
        try FactsBuildError.mapped(to: FactsCompilerError.init, giving: rows) {
            rows throws(FactsBuildError) in
            try rows.write(making, to: &output)
        }
    }

    static let moreFindings = Finding(.moreFindings, "there may be more; reading ended here")

    static func suggestion(for name: String, among names: [String]) -> String? {
        Spelling.nearest(to: name, among: names).map { "there is \"\($0)\"" }
    }
}

package enum FactsFormat: String, Sendable, Hashable, CaseIterable {
    /// Comma-separated values (RFC 4180) with a header row. An empty field, quoted or not, is a missing value.
    case csv
    /// One JSON object on each line. A missing member, `null` and an empty string are missing values.
    case ndjson

    package init?(path: String) {
        if path.hasSuffix(".csv") || path.hasSuffix(".tsv") {
            self = .csv
        } else if path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") {
            self = .ndjson
        } else {
            return nil
        }
    }
}
