import Facts
import Support
import System
import Testing

@Suite("Building a facts file")
struct FactsBuilderTests {
    @Test("gives back every value of random tables", arguments: [0, 1, 7, 300, 5000])
    func randomTables(rowCount: Int) throws {
        var random = SeededGenerator(for: "random tables of facts, \(rowCount) rows")
        for _ in 0..<(rowCount > 1000 ? 1 : 6) {
            let table = Self.table(rowCount: rowCount, &random)
            let file = try FactsFile(bytes: table.bytes(), check: .full)
            #expect(file.rowCount == table.rows.count)
            for row in table.rows {
                let found = try #require(file.find(row.key), "key \(row.key)")
                #expect(FactsTable.values(of: found, in: file) == row.values, "key \(row.key)")
            }
            let keys = Set(table.rows.map(\.key))
            for _ in 0..<500 {
                let key = UInt64.random(in: 0...UInt64.max, using: &random)
                #expect((file.find(key) != nil) == keys.contains(key))
            }
        }
    }

    @Test("gives the same bytes as the sample of version 1.2")
    func sample() throws {
        #expect(
            try GoldenFile.keep(FactsSample.bytes, "Tests/Facts/Samples/1.2.facts") == FactsSample.bytes
        )
    }

    @Test("gives equal bytes for any order of the rows")
    func order() throws {
        var random = SeededGenerator(for: "order of rows of facts")
        var table = Self.table(rowCount: 300, &random)
        let bytes = try table.bytes()
        for _ in 0..<5 {
            table.rows.shuffle(using: &random)
            #expect(try table.bytes() == bytes)
        }
    }

    private static let numbers: [[Int64]] = [
        [.min, .max], [.min], [.max], [.min, .min + 1], [.max - 1, .max], [0, .max / 2, .max - 1],
        [.min, 0, .max], [-1, 1], [.min / 2, .max / 2], [5, .max], [0, 1 << 62, .max],
    ]

    @Test("keeps integers at the ends of their range", arguments: numbers)
    func edges(values: [Int64]) throws {
        var table = FactsTable(columns: [
            .init(name: "a", kind: .boolean), .init(name: "n", kind: .integer),
            .init(name: "m", kind: .integer),
        ])
        for (index, value) in values.enumerated() {
            let row: [FactsTestValue?] = [
                index == 0 ? nil : .boolean(true), .integer(value), .integer(value / 3),
            ]
            table.rows.append((key: UInt64(index + 1), values: row))
        }
        let file = try FactsFile(bytes: table.bytes(), check: .full)
        for row in table.rows {
            #expect(FactsTable.values(of: try #require(file.find(row.key)), in: file) == row.values)
        }
    }

    @Test("names the two lines of the first repeated key, and counts the others")
    func repeatedKeys() throws {
        var table = FactsTable(columns: [.init(name: "n", kind: .integer)])
        for key: UInt64 in [5, 6, 7, 6, 8, 9, 5, 1 << 63] {
            table.rows.append((key: key, values: [.integer(Int64(key & 15))]))
        }
        let error = #expect(throws: FactsBuildError.self) { try table.bytes() }
        #expect(error?.code == "facts.repeated-key")
        guard case .repeatedKeys(let first, count: 2)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(first.key == 6 && first.line == 2 && first.otherLine == 4)
    }

    @Test("gives rows that can be found in a bucket that somebody has filled on purpose")
    func crowdedBucket() throws {
        // The loop finds keys whose mixed forms begin alike by trying.
        var keys: [UInt64] = []
        var key: UInt64 = 1
        while keys.count < 200 {
            if FactsKey.bucket(of: key, among: 256) == 17 { keys.append(key) }
            key += 1
        }
        var table = FactsTable(columns: [.init(name: "n", kind: .integer)])
        for key in keys.reversed() { table.rows.append((key: key, values: [.integer(Int64(key))])) }
        let file = try FactsFile(bytes: table.bytes(), check: .full)
        let crowd = Set(keys)
        for candidate in 1..<key {
            let row = file.find(candidate)
            #expect((row != nil) == crowd.contains(candidate))
            if let row { #expect(file.integer(column: 0, row: row) == Int64(candidate)) }
        }
    }

    /// Returns a table with columns of all kinds: few or many different values, short or long ranges, and some columns
    /// without values.
    static func table(rowCount: Int, _ random: inout SeededGenerator) -> FactsTable {
        let kinds: [ValueKind] = [.string, .date, .integer, .boolean]
        var table = FactsTable(columns: [])
        var makers: [(inout SeededGenerator) -> FactsTestValue?] = []
        for column in 0..<Int.random(in: 0...12, using: &random) {
            let kind = kinds.randomElement(using: &random) ?? .string
            table.columns.append(.init(name: "fact\(column)", kind: kind))
            let absence = [0, 3, 100].randomElement(using: &random) ?? 0
            let spread = Int64(1) << Int64.random(in: 0...40, using: &random)
            let units: [Int64] = [1, 7, 1000, 86_400_000]
            let unit = units.randomElement(using: &random) ?? 1
            makers.append { random in
                guard Int.random(in: 0..<100, using: &random) >= absence else { return nil }
                let number = Int64.random(in: 0...spread, using: &random)
                return switch kind {
                case .string: .string("\(number % 1000)\u{E9}")
                case .date: .date((number % 1_000_000) * unit - 5 * unit)
                case .integer: .integer(number &* unit &- spread)
                case .boolean: .boolean(number % 2 == 0)
                }
            }
        }
        var keys: Set<UInt64> = []
        while keys.count < rowCount {
            let width = UInt64.random(in: 1...64, using: &random)
            let key = UInt64.random(in: 1...UInt64.max >> (64 - width), using: &random)
            guard keys.insert(key).inserted else { continue }
            table.rows.append((key: key, values: makers.map { $0(&random) }))
        }
        return table
    }
}
