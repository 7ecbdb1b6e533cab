import SQL
import Support

@testable import NotificationStore

/// Random rows of a subscriber, and what is left of them when they are packed.
enum PackedSample {
    static let owner = StateOwner(app: "com.example.app", environment: "Sandbox", id: "2000000123")
    static let all = StateMark(
        notifications: .max,
        transactions: .max,
        renewals: .max,
        synchronizations: .max
    )

    /// Random values of columns, many of them those of the row before.
    struct RandomColumns: ColumnVisitor {
        var generator: SeededGenerator
        /// In so many of a hundred columns, a row has another value than the row before.
        var changes = 30

        static let texts: [String?] = [
            nil, "", "0", "00", "7", "2000000123456789", "999999999999999999", "9999999999999999999", "-5",
            "1.5",
            "pro_monthly", "プレミアム", "caf\u{E9}", "cafe\u{301}", "Auto-Renewable Subscription",
            String(repeating: "x", count: 512),
        ]
        static let numbers: [Int64?] = [
            nil, 0, 1, -1, 1_767_225_600_000, 1_769_904_000_000, PackedColumns.greatestNumber,
            -PackedColumns.greatestNumber,
        ]

        private mutating func value<Value>(_ values: [Value], _ last: Value) -> Value {
            guard Int.random(in: 0..<100, using: &generator) < changes else { return last }
            return values.randomElement(using: &generator) ?? last
        }

        mutating func visit(_: StaticString, _ text: inout String?) { text = value(Self.texts, text) }
        mutating func visit(_: StaticString, _ number: inout Int64?) { number = value(Self.numbers, number) }
        mutating func visit(_: StaticString, _ flag: inout Bool?) { flag = value([nil, true, false], flag) }
    }

    static func digest(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    static func parts<Columns: TableColumns>(
        _ count: Int,
        _ random: inout RandomColumns
    ) -> [PartRow<Columns>] {
        var (columns, id) = (Columns(), Int64(0))
        return (0..<count).map { _ in
            columns.visit(&random)
            id += Int64.random(in: 1...1_000_000, using: &random.generator)
            return PartRow(
                id: id,
                digest: digest(&random.generator),
                app: owner.app,
                environment: owner.environment,
                source: ["push", "api"].randomElement(using: &random.generator) ?? "push",
                receivedAt: 5,
                values: StoredColumns(columns),
                unfit: [[], ["price"], ["price", "currency"]].randomElement(using: &random.generator) ?? []
            )
        }
    }

    static func rows(seed: UInt64, counts: (Int, Int, Int), changes: Int = 30) -> SubscriberRows {
        var random = RandomColumns(generator: SeededGenerator(seed: seed), changes: changes)
        var rows = SubscriberRows(originalTransactionID: owner.id)
        rows.transactions = parts(counts.0, &random)
        rows.renewals = parts(counts.1, &random)
        var (columns, id) = (NotificationColumns(), Int64(0))
        for number in 0..<counts.2 {
            columns.visit(&random)
            id += Int64.random(in: 1...9, using: &random.generator)
            let known = rows.renewals.randomElement(using: &random.generator)?.digest
            let uuid = "5f2a1c3e-0d4b-4c6f-9a7e-\(100_000_000_000 + number)"
            rows.notifications.append(
                NotificationRow(
                    id: id,
                    owner: owner,
                    uuid: [uuid, uuid.uppercased(), "\(number)", ""].randomElement(using: &random.generator)
                        ?? "",
                    source: "history",
                    unfit: [],
                    renewalDigest: [nil, known, digest(&random.generator)].randomElement(
                        using: &random.generator
                    )
                        ?? nil,
                    columns: columns
                )
            )
        }
        return rows
    }

    /// What is left of rows after packing.
    static func cut(_ rows: SubscriberRows) -> SubscriberRows {
        func cut<Columns>(_ row: PartRow<Columns>) -> PartRow<Columns> {
            PartRow(
                id: row.id,
                digest: Array(row.digest.prefix(PackedRows.digestByteCount)),
                app: row.app,
                environment: row.environment,
                source: row.source,
                receivedAt: 0,
                values: row.values,
                unfit: row.unfit
            )
        }
        var rows = rows
        rows.transactions = rows.transactions.map(cut)
        rows.renewals = rows.renewals.map(cut)
        rows.notifications = rows.notifications.map { row in
            NotificationRow(
                id: row.id,
                owner: StateOwner(app: row.app, environment: row.environment, id: ""),
                uuid: row.uuid,
                source: row.source,
                unfit: row.unfit,
                renewalDigest: row.renewalDigest.map { Array($0.prefix(PackedRows.digestByteCount)) },
                columns: row.columns
            )
        }
        return rows
    }
}
