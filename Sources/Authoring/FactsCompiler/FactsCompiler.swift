public import DataFileWriting
internal import DataFiles
public import System
public import Vocabulary

/// Turns a table of facts (rules.md section 4) into what a facts file is written from, in one pass over its bytes.
public enum FactsCompiler {
    /// A row that was left out because it is wrong.
    public struct SkippedRow: Sendable, Hashable {
        /// What is wrong with it.
        public let finding: Finding
        /// Its bytes, without the line's end; of a line longer than ``FactsCompilerLimits/rowByteCount`` the characters
        /// in the first ``FactsCompilerLimits/keptByteCount`` bytes.
        public let bytes: [UInt8]
        /// How many bytes it has in the table, without the line's end.
        public let byteCount: Int
    }

    /// What to do with rows that are wrong.
    public enum BadRows {
        /// They are errors.
        case refuse
        /// They are left out; each is given to the closure.
        case skip((SkippedRow) throws(SystemCallError) -> Void)
    }

    /// What came of a table.
    public struct Table: ~Copyable {
        let rows: FactsBuilder
        /// How many rows were left out.
        public let skippedCount: Int
        /// How many lines these have.
        public let skippedLineCount: Int
        /// Names in the table that the schema does not have: at most ``FactsCompilerLimits/ignoredCount``.
        public let ignored: [String]
        /// Facts of the schema that have a value in no row.
        public let alwaysMissing: [String]

        /// The rows, to be written.
        public consuming func takeRows() -> FactsBuilder { rows }
    }

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - input: its bytes.
    ///   - format: how they are to be read.
    ///   - schema: what to look for in them.
    ///   - badRows: what to do with rows that are wrong.
    ///   - progress: is called with the number of bytes read, after every block.
    /// - Returns: its rows, and what should be known of it.
    /// - Throws: everything that is wrong with the table, in the order of its lines, or why it cannot be read.
    public static func read(
        _ input: consuming FactsInput,
        format: FactsFormat,
        schema: FactsSchema,
        badRows: BadRows = .refuse,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsCompilerError) -> Table {
        var reader = FactsReader(input, schema: schema, badRows: badRows)
        var rows = FactsRowAssembler(facts: schema.facts)
        let ignored: [String]
        do throws(FactsCompilerError) {
            switch format {
            case .csv:
                var source = CSVRows()
                try reader.readHeader(&source)
                try reader.readRows(&source, into: &rows, progress)
                ignored = source.ignored
            case .ndjson:
                var source = NDJSONRows(facts: schema.facts)
                try reader.readRows(&source, into: &rows, progress)
                ignored = source.ignored
            }
        } catch {
            // Only a list of all there is wrong is completed.
            guard case .findings(let findings) = error, findings.last?.code != Self.moreFindings.code else {
                throw error
            }
            let all = findings + Self.repeatedKeys(in: rows.finish())
            throw .findings(all.sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) })
        }
        let alwaysMissing = rows.alwaysMissing.map(\.name)
        return Table(
            rows: rows.finish(),
            skippedCount: reader.skippedCount,
            skippedLineCount: reader.skippedLineCount,
            ignored: Array(ignored.prefix(FactsCompilerLimits.ignoredCount)),
            alwaysMissing: alwaysMissing
        )
    }

    /// Writes the file of a table.
    ///
    /// - Throws: keys that stand twice, with both lines; why the file cannot be written.
    public static func write(
        _ rows: consuming FactsBuilder,
        _ making: FactsFileMaking,
        to output: inout some PositionedOutput & ~Copyable,
        progress: (Int) -> Void = { _ in }
    ) throws(FactsCompilerError) {
        do throws(FactsBuildError) {
            try rows.write(making, to: &output, progress: progress)
        } catch {
            switch error {
            case .output(let error): throw .output(error)
            case .tooMuchText(let limit):
                throw .findings([Finding(.tooMuchText, "more than \(limit) bytes of text")])
            case .repeatedKeys(let keys):
                throw .findings(
                    keys.map { key in
                        Finding(
                            .repeatedKey,
                            "\(FactsSchema.keyName) \(key.key) stands on line \(key.line) already",
                            line: key.otherLine,
                            column: 1
                        )
                    }
                )
            }
        }
    }

    /// The keys that stand twice in rows of which no file is made: whoever repairs a table wants to know at once.
    private static func repeatedKeys(in rows: consuming FactsBuilder) -> [Finding] {
        guard rows.rowCount > 1 else { return [] }
        var output = MemoryOutput()
        let making = FactsFileMaking(
            appAppleId: 1,
            environment: .sandbox,
            stamp: DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "")
        )
        do throws(FactsCompilerError) {
            try write(rows, making, to: &output)
            return []
        } catch {
            guard case .findings(let findings) = error else { return [] }
            return findings
        }
    }

    /// The last finding of a table that was not read to its end.
    static let moreFindings = Finding(.moreFindings, "there may be more; reading ended here")

    /// What somebody may have meant by a name that is not there.
    static func suggestion(for name: String, among names: [String]) -> String? {
        Spelling.nearest(to: name, among: names).map { "there is \"\($0)\"" }
    }
}
