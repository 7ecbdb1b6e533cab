import JSON
import RulesCompiler
import Support
import Testing
import Vocabulary

@Suite("Errors of the compiler, all of them")
struct ErrorCoverageTests {
    private static func findings(_ body: () throws(RulesCompilerError) -> Void) -> [Finding] {
        do throws(RulesCompilerError) {
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

    @Test("name the place of what is wrong with a source as a whole", arguments: WholeSourceRow.errors)
    func wholes(row: WholeSourceRow) throws {
        let findings = Self.findings { () throws(RulesCompilerError) in
            _ = try RulesCompiler.model(of: row.bytes)
        }
        try Self.check(row, findings)
    }

    @Test("name the place of what is wrong with an inventory as a whole", arguments: WholeSourceRow.inventory)
    func inventories(row: WholeSourceRow) throws {
        let findings = Self.findings { () throws(RulesCompilerError) in
            _ = try Inventory(reading: row.bytes)
        }
        try Self.check(row, findings)
    }

    @Test("have no row too few: every reason occurs, each with its place")
    func reasons() {
        let rows = CompileErrorRows.all.map(\.code) + InventoryRow.rows.map(\.code)
        let seen = Set(rows + WholeSourceRow.errors.map(\.code))
        // Rules that cost too much have a suite of their own.
        for reason in RulesReason.allCases where reason != .tooMuchWork {
            #expect(seen.contains("rules.\(reason.rawValue)"), "\(reason)")
        }
    }

    /// The list of all codes is held against the source by another test.
    @Test("have a row for every way in which a source is no JSON that has a place")
    func notJSON() throws {
        let list = String(
            decoding: try SourceFile.read(SourceFile.root + "/Tests/SourceTree/Golden/codes.txt"),
            as: UTF8.self
        )
        let codes = list.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            return words.last == "JSON" ? words.first.map { String($0) } : nil
        }
        #expect(codes.count > 5)
        let seen = Set(CompileErrorRows.all.map(\.code) + WholeSourceRow.errors.map(\.code))
        // Both concern the text as a whole.
        for code in codes where !["json.too-large", "json.out-of-memory"].contains(code) {
            #expect(seen.contains(code), "\(code)")
        }
        let large = [UInt8](repeating: UInt8(ascii: " "), count: RulesCompilerLimits.sourceByteCount + 1)
        let findings = Self.findings { () throws(RulesCompilerError) in
            _ = try RulesCompiler.model(of: large)
        }
        #expect(findings.map(\.code) == ["json.too-large"])
        #expect(findings.first?.line == nil)
    }
}
