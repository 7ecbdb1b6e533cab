import Catalogue
import System
import Testing

@Suite("The default messages that Apple has not approved")
struct DefaultsGateTests {
    private static func findings(
        _ text: String = GoodCatalogue.text, approved: (ResolvedCatalogue) throws -> [UUID]
    ) throws -> [Finding] {
        let checked = GoodCatalogue.check(text, in: try GoodCatalogue.folder())
        let resolved = try checked.resolved(for: .production)
        return try checked.unapprovedDefaults(
            in: .production, source: Array(text.utf8), approved: Set(try approved(resolved)))
    }

    @Test("are found at the entry that names them, once for each message")
    func places() throws {
        #expect(try Self.findings { $0.messages.map(\.identifier) } == [])
        let all = try Self.findings { _ in [] }
        #expect(all.map(\.code) == Array(repeating: "publish.not-approved", count: 2))
        #expect(all.allSatisfy { $0.severity == .error && $0.hint?.contains("catalogue apply") == true })
        #expect(all.map(\.path) == ["defaults.*", "defaults.annual"])
        #expect(
            all.map(\.message)
                == Array(
                    repeating: "the default message \"reminder\" is not APPROVED in en-US, de-DE", count: 2)
        )
        let line = try #require(all[0].line)
        #expect(GoodCatalogue.text.split(separator: "\n")[line - 1].contains("\"defaults\""))
        let german = try Self.findings { catalogue in
            catalogue.messages.filter { $0.locale == "en-US" }.map(\.identifier)
        }
        #expect(german.map(\.message).allSatisfy { $0.hasSuffix(" in de-DE") } && german.count == 2)
        // An approval in the other environment is another identifier.
        let other = try Self.findings { _ in
            let checked = GoodCatalogue.check(GoodCatalogue.text, in: try GoodCatalogue.folder())
            return try checked.resolved(for: .sandbox).messages.map(\.identifier)
        }
        #expect(other.count == 2)
    }

    @Test("need a catalogue without errors")
    func wrong() throws {
        #expect(throws: ToolError.self) {
            try Self.findings(GoodCatalogue.text.replacing("\"kind\": \"text\"", with: "\"kind\": \"x\"")) {
                _ in []
            }
        }
    }

    @Test("are none when the catalogue names none")
    func none() throws {
        let start = try #require(GoodCatalogue.text.firstRange(of: "  \"defaults\""))
        let end = try #require(GoodCatalogue.text.firstRange(of: "  \"realtimeURL\""))
        let text = GoodCatalogue.text[..<start.lowerBound] + GoodCatalogue.text[end.lowerBound...]
        #expect(try Self.findings(String(text)) { _ in [] } == [])
    }
}
