internal import DataFileWriting
internal import DataFiles

/// The sample that the repository keeps: a facts file with every kind of entry.
public enum FactsSample {
    public static let table: FactsTable = {
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

    /// The table as a facts file.
    public static let bytes: [UInt8] = (try? table.bytes()) ?? []
}
