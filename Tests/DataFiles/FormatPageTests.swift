import Support
import Testing

@testable import DataFiles

/// A table of FORMAT.md and the entry that it describes.
private struct DescribedEntry: Sendable, CustomTestStringConvertible {
    /// The heading above the table.
    let heading: String
    /// For a table that describes several entries: the words in the first column of this entry's rows.
    var kinds: [String] = []
    let record: any FileRecord
    let byteCount: Int
    var testDescription: String { kinds.last ?? heading }

    init<Record: FileRecord>(_ heading: String, kinds: [String] = [], _ record: Record.Type) {
        self.heading = heading
        self.kinds = kinds
        self.record = record.init()
        byteCount = Record.byteCount
    }
}

@Suite("FORMAT.md")
struct FormatPageTests {
    private struct Field: Hashable {
        let offset: Int
        let byteCount: Int
    }

    @Test(
        "has the place of each field of an entry, and an entry has no gaps",
        arguments: [
            DescribedEntry("settings", SettingsRecord.self), DescribedEntry("messages", MessageRecord.self),
            DescribedEntry("messageIdentifiers", IdentifierRecord.self),
            DescribedEntry("rules", RuleRecord.self), DescribedEntry("outcomes", OutcomeRecord.self),
            DescribedEntry("conditions", ConditionRecord.self), DescribedEntry("splits", SplitRecord.self),
            DescribedEntry("ruleSteps", RuleStepsRecord.self), DescribedEntry("arms", ArmRecord.self),
            DescribedEntry("holdout", HoldoutRecord.self), DescribedEntry("caps", CapsRecord.self),
            DescribedEntry("productRules", ProductRulesRecord.self), DescribedEntry("tests", TestRecord.self),
            DescribedEntry("testFacts", TestFactRecord.self),
            DescribedEntry("factsSettings", FactsSettingsRecord.self),
            DescribedEntry("columns", FactColumnRecord.self),
            DescribedEntry("ruleHeads, terms", kinds: ["both"], TermRecord.self),
            DescribedEntry("ruleHeads, terms", kinds: ["both", "ruleHeads"], RuleHeadRecord.self),
            DescribedEntry(
                "factDeclarations, products, segments",
                kinds: ["factDeclarations"],
                FactDeclarationRecord.self
            ),
            DescribedEntry("factDeclarations, products, segments", kinds: ["products"], ProductRecord.self),
            DescribedEntry("factDeclarations, products, segments", kinds: ["segments"], SegmentRecord.self),
        ]
    )
    private func fields(entry: DescribedEntry) throws {
        let own = Self.fields(of: entry.record)
        #expect(own.last.map { $0.offset + $0.byteCount } == entry.byteCount)
        #expect(own == (try Self.described(entry)))
    }

    @Test("describes entries of one or two numbers in words")
    func smallEntries() {
        #expect(MetadatumRecord.byteCount == 8)
        #expect(FallbackRecord.byteCount == 8)
        #expect(ReferenceRecord.byteCount == 4)
        #expect(NumberRecord.byteCount == 8)
    }

    /// Returns the places of the stored properties, which lie one after the other in their order.
    private static func fields(of record: any FileRecord, from start: Int = 0) -> [Field] {
        var fields: [Field] = []
        var offset = start
        for property in Mirror(reflecting: record).children {
            if let inner = property.value as? any FileRecord {
                fields += Self.fields(of: inner, from: offset)
            } else if let number = property.value as? any FixedWidthInteger {
                fields.append(Field(offset: offset, byteCount: number.bitWidth / 8))
            } else if property.value is EntryReference {
                fields.append(Field(offset: offset, byteCount: 4))
            }
            offset = fields.last.map { $0.offset + $0.byteCount } ?? offset
        }
        return fields
    }

    /// Returns the first two numbers of each row of the entry's table.
    private static func described(_ entry: DescribedEntry) throws -> [Field] {
        let page = String(
            decoding: try SourceFile.read(SourceFile.root + "/Sources/Decision/DataFiles/FORMAT.md"),
            as: UTF8.self
        )
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "### \(entry.heading)"))
        let rows = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }
        var kind = ""
        return rows.compactMap { row in
            var cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                .map { $0.drop { $0 == " " }.prefix { $0 != " " } }
            if !entry.kinds.isEmpty {
                let name = String(cells.removeFirst())
                if !name.isEmpty { kind = name }
                guard entry.kinds.contains(kind) else { return nil }
            }
            guard let offset = Int(cells[0]), let count = Int(cells[1]) else { return nil }
            return Field(offset: offset, byteCount: count)
        }
    }
}
