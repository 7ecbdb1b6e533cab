import Cryptography
import Facts
import FuzzBodies
import Support
import System
import Testing

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
        // Another text of the same number is another subscriber.
        for text in ["0123", "0", "+123", "123 ", "18446744073709551616"] {
            #expect(FactsKey.parse(decimal: text) == nil, "\(text)")
        }
        #expect(file.rows.count { _ in true } == 60)
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
}

@Suite("The corpus of facts files")
struct FactsFileCorpusTests {
    @Test("is opened and looked up without a trap")
    func replay() throws {
        try FuzzCorpus.replay("FactsFile") { fuzzFactsFile($0) }
    }
}
