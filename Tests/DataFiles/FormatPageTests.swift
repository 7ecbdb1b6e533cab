import DataFileWriting
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

    /// The entries whose fields the page has in tables.
    static let all = [
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
        DescribedEntry(
            "factDeclarations, products, segments", kinds: ["factDeclarations"], FactDeclarationRecord.self),
        DescribedEntry("factDeclarations, products, segments", kinds: ["products"], ProductRecord.self),
        DescribedEntry("factDeclarations, products, segments", kinds: ["segments"], SegmentRecord.self),
    ]

    /// The entries with a field that has no meaning yet.
    static var withZeros: [DescribedEntry] {
        all.filter { entry in
            Mirror(reflecting: entry.record).children.contains { $0.label?.hasPrefix("reserved") == true }
        }
    }

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
        /// True for a field that has no meaning yet.
        var isZero = false
    }

    @Test("has the place of each field of an entry, and an entry has no gaps", arguments: DescribedEntry.all)
    private func fields(entry: DescribedEntry) throws {
        let own = Self.fields(of: entry.record)
        #expect(own.last.map { $0.offset + $0.byteCount } == entry.byteCount)
        #expect(own == (try Self.described(entry)))
    }

    @Test(
        "says which fields are zero, and a reader refuses any other value in them",
        arguments: DescribedEntry.withZeros
    )
    private func zeros(entry: DescribedEntry) throws {
        let name = entry.kinds.last ?? entry.heading
        for field in try Self.described(entry) where field.isZero {
            for offset in field.offset..<field.offset + field.byteCount {
                let refusal =
                    if let section = RulesSection.allCases.first(where: { $0.name == name }) {
                        try SampleModel.refusal(withOneAt: offset, in: section)
                    } else {
                        try FactsSample.refusal(
                            withOneAt: offset,
                            in: try #require(FactsSection.allCases.first { $0.name == name })
                        )
                    }
                let isGood = ["data-file.bad-value", "data-file.index-mismatch"].contains(refusal)
                #expect(isGood, "\(refusal) at byte \(offset)")
            }
        }
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
                let isZero = property.label?.hasPrefix("reserved") ?? false
                fields.append(Field(offset: offset, byteCount: number.bitWidth / 8, isZero: isZero))
            } else if property.value is EntryReference {
                fields.append(Field(offset: offset, byteCount: 4))
            }
            offset = fields.last.map { $0.offset + $0.byteCount } ?? offset
        }
        return fields
    }

    /// Returns the fields that the page has in the rows of the entry's table.
    private static func described(_ entry: DescribedEntry) throws -> [Field] {
        let page = String(
            decoding: try SourceFile.read(SourceFile.root + "/Sources/Decision/DataFiles/FORMAT.md"),
            as: UTF8.self)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex(of: "### \(entry.heading)"))
        let rows = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }
        var kind = ""
        return rows.compactMap { row in
            var cells = row.split(separator: "|", omittingEmptySubsequences: false).dropFirst()
                .map { $0.drop { $0 == " " } }
            if !entry.kinds.isEmpty {
                let name = String(cells.removeFirst().prefix { $0 != " " })
                if !name.isEmpty { kind = name }
                guard entry.kinds.contains(kind) else { return nil }
            }
            let numbers = cells.prefix(2).map { Int($0.prefix { $0 != " " }) }
            guard let offset = numbers[0], let count = numbers[1] else { return nil }
            return Field(offset: offset, byteCount: count, isZero: cells[2] == "zero ")
        }
    }
}

extension BreakableSample {
    /// Returns the code with which a file is refused whose first entry of the section has the value 1 in a byte.
    fileprivate static func refusal(withOneAt offset: Int, in section: Section) throws -> String {
        var damaged = bytes
        damaged[try place(of: section).offset + offset] = 1
        return refusal(DataFileHeader.resealed(damaged))
    }
}
