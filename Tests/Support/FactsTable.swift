public import DataFileWriting
public import DataFiles
internal import System
internal import Vocabulary

public enum FactsTestValue: Hashable, Sendable {
    case string(String)
    /// Milliseconds since 1970.
    case date(Int64)
    /// A whole number.
    case integer(Int64)
    /// A truth value.
    case boolean(Bool)
}

/// A table in the tests. Tests write it as a facts file and compare lookups in that file with it.
public struct FactsTable: Sendable {
    /// The columns in their order.
    public var columns: [FactsBuilder.Column]
    /// The rows: a key, and for each column a value or nil.
    public var rows: [(key: UInt64, values: [FactsTestValue?])] = []

    /// The stamp of every file that is written from a table.
    public static let stamp = DataFileStamp(
        builtAtMilliseconds: 1_795_226_399_000, writerVersion: "retentionctl 0.1.0")
    /// App, environment and stamp of every file that is written from a table.
    public static let making = FactsFileIdentity(
        appAppleId: 6_745_974_591, environment: .production, stamp: stamp)

    /// Makes a table without rows.
    public init(columns: [FactsBuilder.Column]) {
        self.columns = columns
    }

    /// Returns the bytes of the facts file. The builder gets the rows in their order; the line number of a row is its
    /// position, from 1.
    public func bytes() throws(FactsBuildError) -> [UInt8] {
        var builder = FactsBuilder(columns: columns)
        for (place, row) in rows.enumerated() {
            for (column, value) in row.values.enumerated() {
                switch value {
                case .string(let text): try builder.set(text.utf8Span.span, column: column)
                case .date(let number), .integer(let number): builder.set(number, column: column)
                case .boolean(let truth): builder.set(truth ? 1 : 0, column: column)
                case nil: continue
                }
            }
            builder.commit(key: row.key, line: place + 1)
        }
        var output = MemoryOutput()
        try builder.write(Self.making, to: &output)
        return output.bytes
    }

    /// Returns the values that a file has for a row, one for each column.
    public static func values(of row: FactsRow, in file: FactsFile) -> [FactsTestValue?] {
        file.columns.indices.map { column in
            switch file.columns[column].kind {
            case .string: file.string(column: column, row: row).map { .string($0) }
            case .date: file.date(column: column, row: row).map { .date($0) }
            case .integer: file.integer(column: column, row: row).map { .integer($0) }
            case .boolean: file.boolean(column: column, row: row).map { .boolean($0) }
            }
        }
    }
}
