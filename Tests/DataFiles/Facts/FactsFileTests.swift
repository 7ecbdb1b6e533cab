import Cryptography
import DataFileWriting
import DataFiles
import Support
import System
import Testing
import FuzzBodies
import Vocabulary

@Suite("A facts file")
struct FactsFileTests {
    @Test("describes itself in its header and its columns")
    func header() throws {
        let file = try FactsFile(bytes: FactsSample.bytes, check: .full)
        #expect(file.header.appAppleId == 6_745_974_591)
        #expect(file.header.environment == .production)
        #expect(file.header.builtAtMilliseconds == FactsTable.stamp.builtAtMilliseconds)
        #expect(file.header.writerVersion == "retentionctl 0.1.0")
        #expect(file.rowCount == 60)
        #expect(file.columns.map(\.name) == FactsSample.table.columns.map(\.name))
        #expect(file.columns.map(\.kind) == FactsSample.table.columns.map(\.kind))
        // The columns have 13 numbers, 2 booleans, a list of 3 storefronts, every second day, 60 tokens, numbers of
        // the whole range, no value, and one value.
        #expect(file.columns.map(\.bitCount) == [4, 1, 2, 5, 6, 64, 0, 0])
        let rest = Array(FactsSample.bytes[..<96]) + Array(FactsSample.bytes[128...])
        #expect(file.header.digest == SHA256.hash(rest.span))
    }

    @Test("finds every row and no other key")
    func lookups() throws {
        let file = try FactsFile(bytes: FactsSample.bytes, check: .full)
        for row in FactsSample.table.rows {
            let found = try #require(file.find(row.key))
            #expect(file.key(of: found) == row.key)
            #expect(FactsTable.values(of: found, in: file) == row.values)
            for absent in [row.key - 1, row.key + 1] { #expect(file.find(absent) == nil) }
        }
        for absent in [0, 1, UInt64.max] { #expect(file.find(absent) == nil) }
        #expect(file.rows.count { _ in true } == 60)
    }

    @Test("has no value for another kind, for an unknown column and for a row of another file")
    func wrongAccess() throws {
        let file = try FactsFile(bytes: FactsSample.bytes, check: .full)
        let row = try #require(file.find(2_000_000_007))
        #expect(file.integer(column: 0, row: row) == 1 && file.isPresent(column: 0, row: row))
        #expect(file.boolean(column: 0, row: row) == nil && file.date(column: 0, row: row) == nil)
        #expect(file.string(column: 0, row: row) == nil)
        #expect(file.withString(column: 0, row: row) { $0.count } == nil)
        #expect(file.withString(column: 2, row: row) { $0.count } == 3)
        #expect(file.integer(column: 2, row: row) == nil && file.integer(column: -1, row: row) == nil)
        #expect(file.integer(column: 8, row: row) == nil && !file.isPresent(column: 6, row: row))
        let small = try FactsFile(
            bytes: FactsTable(
                columns: file.columns.map {
                    .init(name: $0.name, kind: $0.kind)
                }
            ).bytes(),
            check: .full
        )
        #expect(small.rowCount == 0 && small.find(2_000_000_007) == nil)
        #expect(small.integer(column: 0, row: row) == nil && small.key(of: row) == nil)
    }

    @Test("has no string that takes long to hash")
    func longStrings() throws {
        let limit = DataFileLimits.factStringByteCount
        for (byteCount, code) in [(limit, nil), (limit + 1, "data-file.bad-string")] {
            var table = FactsTable(columns: [.init(name: "s", kind: .string)])
            table.rows = [(key: 1, values: [.string(String(repeating: "s", count: byteCount))])]
            let bytes = try table.bytes()
            var found: String?
            do throws(DataFileError) {
                _ = try FactsFile(bytes: bytes, check: .full)
            } catch {
                found = error.code
            }
            #expect(found == code)
        }
    }

    @Test("of version 1.2 still opens and has the same values")
    func sample() throws {
        let file = try FactsFile(bytes: FactsSample.kept(as: "1.2.facts"), check: .full)
        #expect(file.rowCount == FactsSample.table.rows.count)
        for row in FactsSample.table.rows {
            #expect(FactsTable.values(of: try #require(file.find(row.key)), in: file) == row.values)
        }
    }

    @Test("opens from a mapped file, with all checks and with those of the structure")
    func mapping() throws {
        for check in [DataFileCheck.full, .structure] {
            let bytes = FactsSample.bytes
            let memory = try OpenFile.inMemory()
            try memory.descriptor.write(bytes.span)
            let file = try FactsFile(mapping: MappedMemory(of: memory.descriptor), check: check)
            #expect(file.find(2_000_000_000) != nil && file.find(1) == nil)
        }
    }

    @Test("is no rules file under another name")
    func kinds() {
        #expect(FactsSample.refusal(SampleModel.model.pushed) == "data-file.bad-magic")
    }
}

@Suite("A binding of rules to facts")
struct FactsBindingTests {
    private static let columns = FactsSample.table.columns.map {
        FactColumn(name: $0.name, kind: $0.kind, bitCount: 8)
    }

    @Test("finds the column of each fact, whatever their order")
    func good() throws {
        let binding = try FactsBinding(
            declared: [("token", .string), ("inTrial", .boolean), ("paidPeriods", .integer)],
            columns: Self.columns)
        #expect(binding.column(ofFact: 0) == 4 && binding.column(ofFact: 1) == 1)
        #expect(binding.column(ofFact: 2) == 0 && binding.column(ofFact: 3) == nil)
        #expect(binding.column(ofFact: -1) == nil)
    }

    @Test("does not require a declared fact that is not read, but finds it in a file that has it")
    func unread() throws {
        let binding = try FactsBinding(
            declared: [
                ("token", .string), ("tokens", .string), ("inTrial", .integer), ("paidPeriods", .integer),
            ],
            read: [3],
            columns: Self.columns
        )
        #expect((0..<4).map { binding.column(ofFact: $0) } == [4, nil, nil, 0])
    }

    @Test("names a fact that is missing or of another kind, and its place")
    func bad() throws {
        let missing = #expect(throws: DataFileError.self) {
            try FactsBinding(declared: [("tokens", .string)], columns: Self.columns, columnsOffset: 1000)
        }
        #expect(missing?.code == "data-file.fact-missing" && missing?.name == "tokens")
        #expect(missing?.description == "fact-missing \"tokens\" in section columns at byte 1000")
        let mistyped = #expect(throws: DataFileError.self) {
            try FactsBinding(declared: [("inTrial", .integer)], columns: Self.columns, columnsOffset: 1000)
        }
        #expect(mistyped?.code == "data-file.fact-type-mismatch" && mistyped?.name == "inTrial")
        #expect(mistyped?.offset == 1040)
    }
}

@Suite("The corpus of facts files")
struct FactsFileCorpusTests {
    @Test("is opened and looked up without a trap")
    func replay() throws {
        try FuzzCorpus.replay("FactsFile") { fuzzFactsFile($0) }
    }
}
