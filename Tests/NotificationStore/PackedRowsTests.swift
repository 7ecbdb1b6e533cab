import Cryptography
import SQL
import Support
import Testing

@testable import NotificationStore

@Suite("Packed rows of a subscriber", .timeLimit(.minutes(5)))
struct PackedRowsTests {
    /// Collects the bytes of all texts: Swift calls some texts equal that have other bytes.
    private struct TextBytes: ColumnVisitor {
        var bytes: [[UInt8]] = []

        mutating func visit(_: StaticString, _ text: inout String?) { bytes.append(Array((text ?? "").utf8)) }
        mutating func visit(_: StaticString, _: inout Int64?) {}
        mutating func visit(_: StaticString, _: inout Bool?) {}
    }

    private static func texts(_ rows: SubscriberRows) -> [[UInt8]] {
        var visitor = TextBytes()
        func add(_ columns: some TableColumns) {
            var columns = columns
            columns.visit(&visitor)
        }
        for row in rows.transactions { add(row.columns) }
        for row in rows.renewals { add(row.columns) }
        for row in rows.notifications { add(row.columns) }
        return visitor.bytes
    }

    @Test("have a form that changes with their bytes, so that no program reads rows of another form")
    func form() throws {
        let rows = PackedSample.rows(seed: 11, counts: (9, 9, 9))
        var bytes = try #require(PackedRows.bytes(of: rows, upTo: PackedSample.all))
        // The bytes have changed: raise the version of the form in ``PackedRows``, unless the columns have changed, and write the
        // numbers here.
        #expect(PackedRows.form == 1_170_787_267)
        #expect(SHA256.hash(bytes.span).hexadecimal.prefix(16) == "e9fafd7285ba24e1")
        bytes[0] ^= 1
        #expect(PackedRows(bytes[...], of: PackedSample.owner, upTo: PackedSample.all) == nil)
        let earlier = StateMark(notifications: 5, transactions: 5, renewals: 5, synchronizations: 0)
        bytes[0] ^= 1
        #expect(PackedRows(bytes[...], of: PackedSample.owner, upTo: earlier) == nil)
    }

    @Test("are read as they were written, whatever the values are")
    func whole() throws {
        for seed in 0..<200 as Range<UInt64> {
            let counts = (Int(seed % 7), Int(seed % 5), Int(seed % 11))
            let rows = PackedSample.rows(seed: seed, counts: counts, changes: [5, 30, 100][Int(seed % 3)])
            let bytes = try #require(PackedRows.bytes(of: rows, upTo: PackedSample.all))
            let packed = try #require(PackedRows(bytes[...], of: PackedSample.owner, upTo: PackedSample.all))
            #expect(packed.rows == PackedSample.cut(rows), "seed \(seed)")
            #expect(Self.texts(packed.rows) == Self.texts(rows), "seed \(seed)")
            #expect(packed.mark.notifications == .max && packed.mark.renewals == .max)
            // Also within other bytes.
            let inside = [1, 2] + bytes + [3]
            #expect(
                PackedRows(inside[2..<inside.count - 1], of: PackedSample.owner, upTo: PackedSample.all)?.rows
                    == packed.rows
            )
        }
    }

    @Test("are those up to the mark, and later ones are added once")
    func mark() throws {
        let rows = PackedSample.rows(seed: 3, counts: (20, 20, 20))
        let mark = StateMark(
            notifications: rows.notifications[4].id,
            transactions: rows.transactions[9].id,
            renewals: rows.renewals[0].id - 1,
            synchronizations: 0
        )
        let bytes = try #require(PackedRows.bytes(of: rows, upTo: mark))
        var packed = try #require(PackedRows(bytes[...], of: PackedSample.owner, upTo: PackedSample.all))
        #expect(packed.mark == mark)
        #expect(packed.rows.transactions.count == 10 && packed.rows.renewals.isEmpty)
        #expect(packed.rows.notifications.count == 5)
        packed.add(rows)
        #expect(PackedSample.cut(packed.rows) == PackedSample.cut(rows))
    }

    @Test("that are damaged give nil, and never a trap")
    func damaged() throws {
        let bytes = try #require(
            PackedRows.bytes(of: PackedSample.rows(seed: 8, counts: (5, 5, 5)), upTo: PackedSample.all)
        )
        for count in bytes.indices {
            #expect(PackedRows(bytes[..<count], of: PackedSample.owner, upTo: PackedSample.all) == nil)
        }
        #expect(PackedRows((bytes + [0])[...], of: PackedSample.owner, upTo: PackedSample.all) == nil)
        // The form has five bytes. Behind it, a value may become another one: the database keeps its bytes.
        for place in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var damaged = bytes
                damaged[place] ^= 1 << bit
                let packed = PackedRows(damaged[...], of: PackedSample.owner, upTo: PackedSample.all)
                #expect(packed == nil || place >= 5)
            }
        }
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<bytes.count, using: &generator)] =
                    [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
            }
            _ = PackedRows(damaged[...], of: PackedSample.owner, upTo: PackedSample.all)
        }
    }

    @Test("are not made of what they cannot hold")
    func refused() throws {
        func isPacked(_ change: (inout SubscriberRows) -> Void) -> Bool {
            var rows = PackedSample.rows(seed: 1, counts: (3, 3, 3))
            change(&rows)
            return PackedRows.bytes(of: rows, upTo: PackedSample.all) != nil
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
        for (previous, isKept) in [(nil, true), (PackedSample.owner.id, true), ("2", false)]
            as [(String?, Bool)]
        {
            var rows = SubscriberRows(originalTransactionID: PackedSample.owner.id)
            rows.transactions = [transaction { $0.previousOriginalTransactionID = previous }]
            #expect((rows.packed(upTo: PackedSample.all) != nil) == isKept)
        }
        #expect(!isPacked { $0.transactions.append($0.transactions[0]) })
        #expect(!isPacked { $0.renewals.append($0.renewals[0]) })
        #expect(!isPacked { $0.notifications.append($0.notifications[0]) })
        #expect(!isPacked { $0.hasTooMany = true })
        let many = PackedSample.rows(seed: 2, counts: (400, 300, 300))
        #expect(PackedRows.bytes(of: many, upTo: PackedSample.all) != nil)
        #expect(
            PackedRows.bytes(of: PackedSample.rows(seed: 2, counts: (400, 301, 300)), upTo: PackedSample.all)
                == nil
        )
        var random = PackedSample.RandomColumns(generator: SeededGenerator(seed: 4))
        var short = PackedSample.parts(1, &random) as [PartRow<RenewalColumns>]
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
