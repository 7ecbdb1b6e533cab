import SQL
import Support
import Testing

@testable import NotificationStore

@Suite("Packed rows of a subscriber", .timeLimit(.minutes(5)))
struct PackedRowsTests {
    private static let owner = StateOwner(app: "com.example.app", environment: "Sandbox", id: "2000000123")
    private static let all = StateMark(
        notifications: .max,
        transactions: .max,
        renewals: .max,
        synchronizations: .max
    )

    /// Random values of columns, many of them those of the row before.
    private struct RandomColumns: ColumnVisitor {
        var generator: SeededGenerator
        /// In so many of a hundred columns, a row has another value than the row before.
        var changes = 30

        private static let texts: [String?] = [
            nil, "", "0", "00", "7", "2000000123456789", "999999999999999999", "9999999999999999999", "-5",
            "1.5",
            "pro_monthly", "プレミアム", "Auto-Renewable Subscription", String(repeating: "x", count: 512),
        ]
        private static let numbers: [Int64?] = [
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

    private static func digest(_ generator: inout SeededGenerator) -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private static func parts<Columns: TableColumns>(
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

    private static func rows(seed: UInt64, counts: (Int, Int, Int), changes: Int = 30) -> SubscriberRows {
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

    @Test("are read as they were written, whatever the values are")
    func whole() throws {
        for seed in 0..<200 as Range<UInt64> {
            let counts = (Int(seed % 7), Int(seed % 5), Int(seed % 11))
            let rows = Self.rows(seed: seed, counts: counts, changes: [5, 30, 100][Int(seed % 3)])
            let bytes = try #require(PackedRows.bytes(of: rows, upTo: Self.all))
            let packed = try #require(PackedRows(bytes[...], of: Self.owner))
            #expect(packed.rows == Self.cut(rows), "seed \(seed)")
            #expect(packed.mark.notifications == .max && packed.mark.renewals == .max)
            // Also within other bytes.
            let inside = [1, 2] + bytes + [3]
            #expect(PackedRows(inside[2..<inside.count - 1], of: Self.owner)?.rows == packed.rows)
        }
    }

    @Test("are those up to the mark, and later ones are added once")
    func mark() throws {
        let rows = Self.rows(seed: 3, counts: (20, 20, 20))
        let mark = StateMark(
            notifications: rows.notifications[4].id,
            transactions: rows.transactions[9].id,
            renewals: rows.renewals[0].id - 1,
            synchronizations: 0
        )
        let bytes = try #require(PackedRows.bytes(of: rows, upTo: mark))
        var packed = try #require(PackedRows(bytes[...], of: Self.owner))
        #expect(packed.mark == mark)
        #expect(packed.rows.transactions.count == 10 && packed.rows.renewals.isEmpty)
        #expect(packed.rows.notifications.count == 5)
        packed.add(rows)
        #expect(Self.cut(packed.rows) == Self.cut(rows))
    }

    @Test("that are damaged give nil, and never a trap")
    func damaged() throws {
        let bytes = try #require(
            PackedRows.bytes(of: Self.rows(seed: 8, counts: (5, 5, 5)), upTo: Self.all)
        )
        for count in bytes.indices { #expect(PackedRows(bytes[..<count], of: Self.owner) == nil) }
        #expect(PackedRows((bytes + [0])[...], of: Self.owner) == nil)
        var readCount = 0
        for place in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var damaged = bytes
                damaged[place] ^= 1 << bit
                if PackedRows(damaged[...], of: Self.owner) != nil { readCount += 1 }
            }
        }
        // A value may become another one: the database keeps its bytes.
        #expect(readCount < bytes.count * 8)
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<bytes.count, using: &generator)] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            }
            _ = PackedRows(damaged[...], of: Self.owner)
        }
    }

    @Test("are not made of what they cannot hold")
    func refused() throws {
        func isPacked(_ change: (inout SubscriberRows) -> Void) -> Bool {
            var rows = Self.rows(seed: 1, counts: (3, 3, 3))
            change(&rows)
            return PackedRows.bytes(of: rows, upTo: Self.all) != nil
        }
        func transaction(_ change: (inout TransactionColumns) -> Void) -> PartRow<TransactionColumns> {
            var columns = TransactionColumns()
            change(&columns)
            return PartRow(
                id: 99_000_000,
                digest: [UInt8](repeating: 1, count: 32),
                app: "",
                environment: "",
                source: "push",
                receivedAt: 0,
                values: StoredColumns(columns),
                unfit: []
            )
        }
        #expect(isPacked { _ in })
        #expect(isPacked { $0.transactions.append(transaction { $0.price = 1 << 60 }) })
        #expect(!isPacked { $0.transactions.append(transaction { $0.price = 1 << 60 + 1 }) })
        #expect(!isPacked { $0.transactions.append(transaction { $0.price = .min }) })
        for (previous, isKept) in [(nil, true), (Self.owner.id, true), ("2", false)] as [(String?, Bool)] {
            var rows = SubscriberRows(originalTransactionID: Self.owner.id)
            rows.transactions = [transaction { $0.previousOriginalTransactionID = previous }]
            #expect((rows.packed(upTo: Self.all) != nil) == isKept)
        }
        #expect(!isPacked { $0.transactions.append($0.transactions[0]) })
        #expect(!isPacked { $0.renewals.append($0.renewals[0]) })
        #expect(!isPacked { $0.notifications.append($0.notifications[0]) })
        #expect(!isPacked { $0.hasTooMany = true })
        let many = Self.rows(seed: 2, counts: (400, 300, 300))
        #expect(PackedRows.bytes(of: many, upTo: Self.all) != nil)
        #expect(PackedRows.bytes(of: Self.rows(seed: 2, counts: (400, 301, 300)), upTo: Self.all) == nil)
        var short = Self.parts(1, &Self.random) as [PartRow<RenewalColumns>]
        short[0] = PartRow(
            id: 99_000_000,
            digest: [1],
            app: "",
            environment: "",
            source: "push",
            receivedAt: 0,
            values: short[0].values,
            unfit: []
        )
        #expect(!isPacked { $0.renewals += short })
    }

    private static var random: RandomColumns {
        get { RandomColumns(generator: SeededGenerator(seed: 4)) }
        set {}
    }

    @Test("have numbers in few bytes, and refuse those that are too long")
    func numbers() {
        for (number, count) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (.max, 10)]
            as [(UInt64, Int)]
        {
            var writer = PackedWriter()
            writer.add(number)
            #expect(writer.bytes.count == count)
            var reader = PackedReader(writer.bytes[...])
            #expect(reader.number() == number && reader.isAtEnd)
        }
        let wrong: [[UInt8]] = [
            [], [0x80], [UInt8](repeating: 0x80, count: 10) + [1], [UInt8](repeating: 0xFF, count: 9) + [2],
        ]
        for bytes in wrong {
            var reader = PackedReader(bytes[...])
            #expect(reader.number() == nil, "\(bytes)")
        }
        for number in [0, 1, -1, 2, .max, .min] as [Int64] {
            #expect(ZigZag.decode(ZigZag.encode(number)) == number)
        }
        var reader = PackedReader([1, 0xFF, 2][...])
        #expect(reader.bytes(count: -1) == nil && reader.bytes(count: 4) == nil)
        #expect(
            reader.text(byteCount: .max) == nil && reader.number() == 1 && reader.text(byteCount: 1) == nil
        )
    }
}
