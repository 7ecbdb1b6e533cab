import JSON
import RulesCompiler
import Support
import Testing
import Vocabulary
import RulesReading

@Suite("All errors of the compiler")
struct ErrorCoverageTests {
    private static func findings(_ body: () throws(RulesSourceError) -> Void) -> [Finding] {
        do throws(RulesSourceError) {
            try body()
            return []
        } catch { return error.findings }
    }

    private static func check(_ row: WholeSourceRow, _ findings: [Finding]) throws {
        let finding = try #require(findings.last)
        #expect(finding.code == row.code)
        let (line, column) = try row.place()
        #expect(finding.line == line, "\(finding.text)")
        #expect(finding.column == column, "\(finding.text)")
        #expect(findings.count == row.count)
        if let message = row.message { #expect(finding.message == message) }
    }

    @Test("name the place of a mistake in a source as a whole", arguments: WholeSourceRow.errors)
    func wholeSources(row: WholeSourceRow) throws {
        let findings = Self.findings { () throws(RulesSourceError) in
            _ = try RulesCompiler.model(of: row.bytes)
        }
        try Self.check(row, findings)
    }

    @Test("name the place of a mistake in an inventory as a whole", arguments: WholeSourceRow.inventory)
    func inventories(row: WholeSourceRow) throws {
        let findings = Self.findings { () throws(RulesSourceError) in
            _ = try Inventory(reading: row.bytes)
        }
        try Self.check(row, findings)
    }

    @Test("have a row for every reason")
    func reasons() {
        let rows = CompileErrorRows.all.map(\.code) + InventoryRow.rows.map(\.code)
        let seen = Set(rows + WholeSourceRow.errors.map(\.code))
        // `LimitTests` covers rules with too many conditions. Rules with a catalogue have their own suite. The tools read
        // what a source includes, so only the loader reports that.
        let others: Set<RulesReason> = [.tooMuchWork, .messageConflict, .otherApp, .includesFiles]
        for reason in RulesReason.allCases where !others.contains(reason) {
            #expect(seen.contains("rules.\(reason.rawValue)"), "\(reason)")
        }
    }

    /// `CodesTests` compares the list of all codes with the source.
    @Test("have a row for every JSON error that has a place")
    func notJSON() throws {
        let list = String(
            decoding: try SourceFile.read(SourceFile.root + "/Tests/SourceTree/Golden/codes.txt"),
            as: UTF8.self)
        let codes = list.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            return words.last == "JSON" ? words.first.map { String($0) } : nil
        }
        #expect(codes.count > 5)
        let seen = Set(CompileErrorRows.all.map(\.code) + WholeSourceRow.errors.map(\.code))
        // These two codes concern the text as a whole and have no place.
        for code in codes where !["json.too-large", "json.out-of-memory"].contains(code) {
            #expect(seen.contains(code), "\(code)")
        }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: RulesSourceLimits.sourceByteCount + 1)
        let findings = Self.findings { () throws(RulesSourceError) in
            _ = try RulesCompiler.model(of: large)
        }
        #expect(findings.map(\.code) == ["json.too-large"])
        #expect(findings.first?.line == nil)
    }
}
