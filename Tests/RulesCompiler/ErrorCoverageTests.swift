import Authoring
import JSON
import Rules
import Support
import System
import Testing

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

    @Test("say that a source is too large before it is read")
    func large() {
        let large = [UInt8](repeating: UInt8(ascii: " "), count: RulesSourceLimits.sourceByteCount + 1)
        let findings = Self.findings { () throws(RulesSourceError) in
            _ = try RulesCompiler.model(of: large)
        }
        #expect(findings.map(\.code) == ["json.too-large"])
        #expect(findings.first?.line == nil)
    }
}
