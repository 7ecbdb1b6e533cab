import DataFiles
import JSON
import RulesCompiler
import Support
import Testing
import Vocabulary
import RulesReading

/// One change to the inventory that approves the good source, and the finding that the compiler must report.
struct InventoryRow: Sendable, CustomTestStringConvertible {
    /// The text of the approving inventory that is replaced, and the text that replaces it.
    let old: String
    let new: String
    /// The code of the finding. In `marked`, a piece of the good source, `¦` marks its place.
    let code: String
    let marked: String

    init(_ old: String, _ new: String, _ code: String, at marked: String) {
        self.old = old
        self.new = new
        self.code = code
        self.marked = marked
    }

    var testDescription: String { "\(code) \(new)" }

    /// Changes for which the compiler must refuse a source for Production.
    static let rows = [
        InventoryRow(
            "551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"APPROVED",
            "551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"PENDING", "rules.not-approved",
            at: "\"en-US\": ¦\"551ee7c0"),
        // A state that this version does not know is not an approval.
        InventoryRow(
            "551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"APPROVED",
            "551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"IN_REVIEW", "rules.not-approved",
            at: "\"en-US\": ¦\"551ee7c0"),
        InventoryRow(
            "551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"APPROVED",
            "551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"REJECTED", "rules.not-approved",
            at: "\"en-US\": ¦\"551ee7c0"),
        InventoryRow(
            "\"imageState\": \"APPROVED\"", "\"imageState\": \"PENDING\"", "rules.not-approved",
            at: "\"en-US\": ¦\"551ee7c0"),
        InventoryRow(
            "{ \"imageIdentifier\": \"00000000-0000-4000-8000-000000000001\" }",
            "{ \"imageIdentifier\": \"00000000-0000-4000-8000-000000000009\" }", "rules.not-approved",
            at: "\"en-US\": ¦\"551ee7c0"),
        InventoryRow(
            "\"ed7f25fc-5741-46a3", "\"ed7f25fd-5741-46a3", "rules.unknown-identifier",
            at: "\"en-US\": ¦\"ed7f25fc"),
        InventoryRow(
            "\"image\": null", "\"image\": { \"imageIdentifier\": \"00000000-0000-4000-8000-000000000001\" }",
            "rules.image-not-allowed", at: "\"en-US\": ¦\"ed7f25fc"),
        InventoryRow(
            "\"80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc\",",
            "\"80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc\", \"bulletPoints\": [ { \"text\": \"a\", \"imageIdentifier\": \"00000000-0000-4000-8000-000000000001\" } ],",
            "rules.image-not-allowed", at: "\"en-US\": ¦\"80135e2b"),
    ]
}

@Suite("The inventory")
struct InventoryTests {
    /// An inventory that approves all messages of the good source, except the offer in `de-DE`. The offer is pending
    /// there, as the source says.
    static let approving = """
        { "messageIdentifiers": [
            { "messageIdentifier": "551ee7c0-c097-418e-9dd5-2a98533a7390", "messageState": "APPROVED",
              "image": { "imageIdentifier": "00000000-0000-4000-8000-000000000001" }, "bulletPoints": [] },
            { "messageIdentifier": "ed7f25fc-5741-46a3-8502-062e0fb8afd0", "messageState": "APPROVED",
              "image": null, "somethingNew": 7 },
            { "messageIdentifier": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc", "messageState": "APPROVED" },
            { "messageIdentifier": "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dd", "messageState": "PENDING" },
            { "messageIdentifier": "9b1d3f52-6c1e-4c6b-9b7e-0a5d3c0c8e11", "messageState": "APPROVED" } ],
          "imageIdentifiers": [
            { "imageIdentifier": "00000000-0000-4000-8000-000000000001", "imageState": "APPROVED",
              "imageSize": "FULL_SIZE" } ] }
        """

    static func options(_ text: String, allowsPending: Bool = false) throws -> RulesCompilerOptions {
        RulesCompilerOptions(
            inventory: try Inventory(reading: Array(text.utf8)), allowsPending: allowsPending)
    }

    private static func findings(_ source: String, _ options: RulesCompilerOptions) -> [Finding] {
        do throws(RulesSourceError) {
            _ = try RulesCompiler.model(of: Array(source.utf8), options: options)
            return []
        } catch { return error.findings }
    }

    /// The approving inventory with one change.
    private static func changed(_ row: InventoryRow) throws -> String {
        let range = try #require(approving.range(of: row.old), "\(row.old)")
        return String(approving[..<range.lowerBound] + row.new + approving[range.upperBound...])
    }

    @Test("accepts messages that Apple has approved")
    func approved() throws {
        #expect(Self.findings(GoodSource.text, try Self.options(Self.approving)) == [])
    }

    @Test("refuses messages for Production that Apple would not show", arguments: InventoryRow.rows)
    func rows(row: InventoryRow) throws {
        let (line, column) = try CompileError.place(of: row.marked, in: GoodSource.text)
        let findings = Self.findings(GoodSource.text, try Self.options(Self.changed(row)))
        #expect(findings.map(\.code) == [row.code], "\(findings.map(\.text))")
        #expect(findings.first?.line == line)
        #expect(findings.first?.column == column)
    }

    @Test(
        "writes the state of messages that are not approved, in Sandbox and with the option for pending messages",
        arguments: InventoryRow.rows.filter { $0.code == "rules.not-approved" }
    )
    func states(row: InventoryRow) throws {
        let options = try Self.options(Self.changed(row), allowsPending: true)
        let text = Array(GoodSource.text.utf8)
        let rules = try RulesCompiler.resolve(text, options: options)
        let isRejected = row.new.contains("REJECTED")
        func check(_ rules: ResolvedRules) throws {
            let expected: [[RulesModel.Unapproved?]] = [
                [isRejected ? .rejected : .pending], [nil], [nil, .pending], [nil],
            ]
            #expect(rules.model.messages.map { $0.identifiers.map(\.unapproved) } == expected)
            // The text has the states, so the loader needs no inventory.
            #expect(try RulesSource.read(rules.text) == rules.model)
            #expect(try RulesCompiler.resolve(rules.text).text == rules.text)
        }
        try check(rules)
        // Embedded tests of messages that are not approved wait for the approval. The compiler does not refuse them.
        #expect(RulesCompiler.failedTests(of: rules, source: text) == [])
        let waiting = Lint.awaitingApproval(in: rules, source: text)
        #expect(waiting.contains { $0.check == .testAwaitsApproval })
        #expect(
            waiting.filter { $0.check == .pendingLocale }.map(\.path) == [
                "messages.reminder.ids.en-US", "messages.half_price.ids.de-DE",
            ]
        )
        let found = try Lint.findings(in: text, now: LintRow.now, options: options)
        #expect(
            found.filter { $0.check == .testAwaitsApproval }
                == waiting.filter { $0.check == .testAwaitsApproval }
        )
        let sandbox = GoodSource.text.replacing(
            "\"environment\": \"Production\"", with: "\"environment\": \"Sandbox\"")
        try check(
            try RulesCompiler.resolve(Array(sandbox.utf8), options: try Self.options(Self.changed(row))))
        // An approval takes the state out of the text.
        let approving = Self.approving.replacing("PENDING", with: "APPROVED")
        let approved = try RulesCompiler.resolve(rules.text, options: try Self.options(approving))
        #expect(!String(decoding: approved.text, as: UTF8.self).contains("unapproved\":"))
    }

    @Test(
        "is refused with a code and a place when it is itself wrong",
        arguments: [
            ("¦[]", "inventory.wrong-type"),
            ("¦{}", "inventory.missing-key"),
            ("{ \"messageIdentifiers\": ¦{} }", "inventory.wrong-type"),
            ("{ \"messageIdentifiers\": [ ¦7 ] }", "inventory.wrong-type"),
            ("{ \"messageIdentifiers\": [ ¦{ \"messageState\": \"APPROVED\" } ] }", "inventory.missing-key"),
            ("{ \"messageIdentifiers\": [ { \"messageIdentifier\": ¦\"1\" } ] }", "inventory.bad-uuid"),
            (
                "{ \"messageIdentifiers\": [ ¦{ \"messageIdentifier\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\" } ] }",
                "inventory.missing-key"
            ),
            (
                "{ \"messageIdentifiers\": [ { \"messageIdentifier\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": ¦\"approved\" } ] }",
                "inventory.unknown-value"
            ),
            (
                "{ \"messageIdentifiers\": [ { \"messageIdentifier\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"APPROVED\", ¦\"bulletpoints\": [] } ] }",
                "inventory.unknown-key"
            ),
            (
                "{ \"messageIdentifiers\": [ { \"messageIdentifier\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"APPROVED\" }, ¦{ \"messageIdentifier\": \"551EE7C0-c097-418e-9dd5-2a98533a7390\", \"messageState\": \"APPROVED\" } ] }",
                "inventory.duplicate-id"
            ),
            (
                "{ \"messageIdentifiers\": [], \"imageIdentifiers\": [ { \"imageIdentifier\": \"551ee7c0-c097-418e-9dd5-2a98533a7390\", \"imageState\": ¦1 } ] }",
                "inventory.wrong-type"
            ),
            ("{ \"messageIdentifiers\": [ ¦}", "json.syntax"),
        ]
    )
    func refusals(row: (text: String, code: String)) throws {
        let (line, column) = try CompileError.place(of: "¦", in: row.text)
        let text = Array(row.text.replacing("¦", with: "").utf8)
        let error = #expect(throws: RulesSourceError.self) { _ = try Inventory(reading: text) }
        let finding = try #require(error?.findings.first)
        #expect(error?.findings.count == 1, "\(error?.description ?? "")")
        #expect(finding.code == row.code)
        #expect(finding.line == line, "\(finding.text)")
        #expect(finding.column == column, "\(finding.text)")
    }

    @Test("of the examples approves every message of the annual upsell except the German value reminder")
    func example() throws {
        let inventory = try SourceFile.read(SourceFile.root + "/examples/inventory.json")
        let source = try SourceFile.read(SourceFile.root + "/examples/rules/annual-upsell.json")
        let options = RulesCompilerOptions(inventory: try Inventory(reading: inventory))
        let findings = Self.findings(String(decoding: source, as: UTF8.self), options)
        #expect(findings.map(\.code) == ["rules.not-approved"])
        #expect(findings.first?.path == "messages.value_reminder.ids.de-DE")
    }
}
