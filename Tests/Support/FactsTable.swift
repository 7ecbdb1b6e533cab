package import Facts
internal import System

package enum FactsTestValue: Hashable, Sendable {
    case string(String)
    case date(Int64)
    case integer(Int64)
    case boolean(Bool)
}

package struct FactsTable: Sendable {
    package var columns: [FactsBuilder.Column]
    package var rows: [(key: UInt64, values: [FactsTestValue?])] = []

    package static let stamp = DataFileStamp(
        builtAtMilliseconds: 1_795_226_399_000, writerVersion: "retentionctl 0.1.0")
    package static let making = FactsFileIdentity(
        appAppleId: 6_745_974_591, environment: .production, stamp: stamp)

    package init(columns: [FactsBuilder.Column]) {
        self.columns = columns
    }

    /// Returns the bytes of the facts file. The builder gets the rows in their order; the line number of a row is its
    /// position, from 1.
    package func bytes() throws(FactsBuildError) -> [UInt8] {
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

    package static func values(of row: FactsRow, in file: FactsFile) -> [FactsTestValue?] {
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

package enum FactsSample {
    package static let table: FactsTable = {
        var table = FactsTable(columns: [
            .init(name: "paidPeriods", kind: .integer), .init(name: "inTrial", kind: .boolean),
            .init(name: "storefront", kind: .string), .init(name: "lastOfferAt", kind: .date),
            .init(name: "token", kind: .string), .init(name: "balance", kind: .integer),
            .init(name: "never", kind: .date), .init(name: "always", kind: .integer),
        ])
        let storefronts = ["USA", "DEU", "zloty"]
        for index in 0..<60 {
            table.rows.append(
                (
                    key: 2_000_000_000 + UInt64(index) * 7,
                    values: [
                        index % 5 == 0 ? nil : .integer(Int64(index % 13)),
                        .boolean(index % 3 == 0),
                        index % 11 == 0 ? nil : .string(storefronts[index % 3]),
                        index % 2 == 0 ? nil : .date(1_795_000_000_000 + Int64(index) * 86_400_000),
                        .string("token-\(index)"),
                        .integer(
                            index % 2 == 0 ? Int64.max - Int64(index / 2) : Int64.min + Int64(index / 2)
                        ),
                        nil,
                        .integer(42),
                    ]
                )
            )
        }
        return table
    }()

    package static let bytes: [UInt8] = (try? table.bytes()) ?? []
}
