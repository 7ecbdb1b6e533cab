import AppStoreServerAPI
import Authoring
import JSON
import Rules
import Support
import System
import Testing

/// One change to Apple's lists or to the rules, and what the gate must find.
struct ApprovalRow: Sendable, CustomTestStringConvertible {
    let name: String
    var source = ApprovalRow.source
    var states = ApprovalRow.states
    var locales: [String] = []
    /// The findings: the code, a piece of the source in which `¦` marks the place, and words of the text.
    let found: [(code: String, marked: String, words: String)]

    var testDescription: String { name }

    static func identifier(_ number: UInt64) -> UUID { UUID(high: 7, low: number) }

    static let catalogue = CatalogueMessages(
        appAppleId: 1,
        bundleId: "b",
        messages: [
            .production: [
                RulesModel.Message(
                    name: "listed",
                    kind: .text,
                    identifiers: [
                        .init(locale: "en-US", identifier: identifier(20)),
                        .init(locale: "de-DE", identifier: identifier(21)),
                    ]
                )
            ]
        ],
        images: [identifier(21): [identifier(90)]]
    )

    static let source = """
        { "format": 1, "app": { "appAppleId": 1, "bundleId": "b" },
          "environment": "Production",
          "messages": {
            "own": { "kind": "text", "ids": { "en-US": "\(identifier(10))" } },
            "spare": { "kind": "text", "ids": { "en-US": "\(identifier(11))" } },
            "off": { "kind": "text", "ids": { "en-US": "\(identifier(12))", "de-DE": "\(identifier(13))" } } },
          "unapproved": { "\(identifier(13))": "PENDING" },
          "holdout": { "salt": "h", "basisPoints": 10, "serve": { "message": "off" } },
          "rules": [
            { "id": "r1", "when": { "fact": "productId", "eq": "a" }, "serve": { "message": "listed" } },
            { "id": "r2", "enabled": false, "serve": { "message": "spare" } },
            { "id": "r3", "when": { "fact": "productId", "eq": "b" },
              "variants": { "salt": "v", "arms": [
                { "name": "x", "weight": 5000, "serve": { "message": "own" } },
                { "name": "y", "weight": 5000, "serve": { "message": "own" } } ] } },
            { "id": "r4", "when": { "fact": "productId", "eq": "c" }, "serve": { "message": "own" } }
          ],
          "default": { "serve": { "message": "own" } } }
        """

    /// Everything that the rules serve is approved. What they do not serve is not.
    static let states = AppleState(images: [identifier(90): .approved], messages: listed)

    private static let listed: [UUID: ReviewState] = [
        identifier(10): .approved, identifier(11): .rejected, identifier(12): .approved,
        identifier(13): .pending, identifier(20): .approved, identifier(21): .approved,
    ]

    static func state(_ number: UInt64, _ state: ReviewState?) -> AppleState {
        var changed = listed
        changed[identifier(number)] = state
        return AppleState(images: [identifier(90): .approved], messages: changed)
    }

    static func image(_ state: ReviewState?) -> AppleState {
        AppleState(images: state.map { [identifier(90): $0] } ?? [:], messages: listed)
    }

    private static let own = "\"own\": { \"kind\": \"text\", \"ids\": { \"en-US\": ¦\"\(identifier(10))"
    private static let users = "rule \"r3\", rule \"r4\" and 1 more serve \"own\" in en-US"

    static let rows = [
        ApprovalRow(name: "all that is served is approved", found: []),
        ApprovalRow(
            name: "pending", states: state(10, .pending),
            found: [("publish.not-approved", own, "\(users) (\(identifier(10))), which is PENDING")]),
        ApprovalRow(
            name: "rejected", states: state(10, .rejected),
            found: [("publish.rejected", own, "which Apple has REJECTED")]),
        ApprovalRow(
            name: "not in the list", states: state(10, nil),
            found: [("publish.not-uploaded", own, "which Apple's list does not have")]),
        ApprovalRow(
            name: "a message of the catalogue stands where the first rule serves it",
            states: state(20, .pending),
            found: [
                (
                    "publish.not-approved", "\"eq\": \"a\" }, \"serve\": ¦{ \"message\": \"listed\"",
                    "rule \"r1\" serves \"listed\" in en-US"
                )
            ]
        ),
        ApprovalRow(
            name: "the holdout",
            states: state(12, .pending),
            found: [
                (
                    "publish.not-approved", "{ \"en-US\": ¦\"\(identifier(12))",
                    "the holdout serves \"off\" in en-US"
                )
            ]
        ),
        ApprovalRow(
            name: "an image of a message in the catalogue",
            states: image(.pending),
            found: [
                (
                    "publish.not-approved", "\"serve\": ¦{ \"message\": \"listed\"",
                    "whose image \(identifier(90)) is PENDING"
                )
            ]
        ),
        ApprovalRow(
            name: "an image that Apple's list does not have",
            states: image(nil),
            found: [
                (
                    "publish.not-approved", "\"serve\": ¦{ \"message\": \"listed\"",
                    "Apple's list does not have"
                )
            ]
        ),
        ApprovalRow(
            name: "a state that this version does not know", states: state(10, .other("IN_REVIEW")),
            found: [("publish.not-approved", own, "which is IN_REVIEW")]),
        ApprovalRow(
            name: "missing locales",
            locales: ["en-US", "de-DE", "fr-FR"],
            found: [
                (
                    "publish.missing-locale", "¦\"own\": { \"kind\"",
                    "serve \"own\", which has no text in de-DE, fr-FR, and no fallback leads to one"
                ),
                ("publish.missing-locale", "¦\"off\": { \"kind\"", "which has no text in fr-FR"),
                (
                    "publish.missing-locale", "\"serve\": ¦{ \"message\": \"listed\"",
                    "rule \"r1\" serves \"listed\", which has no text in fr-FR"
                ),
            ]
        ),
        ApprovalRow(
            name: "fallbacks lead to a text",
            source: source.replacing(
                "\"messages\":",
                with:
                    "\"locales\": { \"fallback\": { \"fr-FR\": \"de-DE\", \"de-DE\": \"en-US\" } }, \"messages\":"
            ),
            locales: ["en-US", "de-DE", "fr-FR"],
            found: []
        ),
        ApprovalRow(
            name: "the last locale is a text",
            source: source.replacing(
                "\"messages\":", with: "\"locales\": { \"last\": \"en-US\" }, \"messages\":"),
            locales: ["ja"], found: []),
        ApprovalRow(
            name: "the kill switch serves nothing",
            source: source.replacing("\"messages\":", with: "\"killSwitch\": true, \"messages\":"),
            states: AppleState(), locales: ["ja"], found: []),
        ApprovalRow(
            name: "the places are in the order of the source",
            states: AppleState(),
            found: [
                ("publish.not-uploaded", own, "\"own\""),
                ("publish.not-uploaded", "{ \"en-US\": ¦\"\(identifier(12))", "\"off\""),
                ("publish.not-uploaded", "\"serve\": ¦{ \"message\": \"listed\"", "en-US"),
                ("publish.not-uploaded", "\"serve\": ¦{ \"message\": \"listed\"", "de-DE"),
            ]
        ),
    ]
}

@Suite("The gate before rules are published")
struct ApprovalGateTests {
    @Test("finds what is served and not shown by Apple, with its place", arguments: ApprovalRow.rows)
    func rows(row: ApprovalRow) throws {
        let text = Array(row.source.utf8)
        let options = RulesCompilerOptions(catalogue: ApprovalRow.catalogue)
        let findings = ApprovalGate.findings(
            in: text, model: try RulesCompiler.model(of: text, options: options), states: row.states,
            catalogue: ApprovalRow.catalogue, locales: row.locales)
        #expect(findings.map(\.code) == row.found.map(\.code), "\(findings.map(\.text))")
        for (finding, expected) in zip(findings, row.found) {
            let (line, column) = try Mark.place(of: expected.marked, in: row.source)
            #expect(finding.line == line && finding.column == column, "\(finding.text)")
            #expect(finding.message.contains(expected.words), "\(finding.text)")
            #expect(finding.severity == .error && finding.hint?.isEmpty == false)
        }
    }

    @Test("has a row for every reason")
    func reasons() {
        let seen = Set(ApprovalRow.rows.flatMap { $0.found.map(\.code) })
        let reasons = Set(ApprovalReason.allCases).subtracting([.moreFindings])
        #expect(seen == Set(reasons.map { "publish.\($0.rawValue)" }))
    }

    @Test("knows which messages Apple shows")
    func approved() {
        let images = ApprovalRow.catalogue.images
        let approved = ApprovalRow.states.approvedMessages(images: images)
        #expect(approved == Set([10, 12, 20, 21].map(ApprovalRow.identifier)))
        let pending = ApprovalRow.image(.pending)
        #expect(!pending.approvedMessages(images: images).contains(ApprovalRow.identifier(21)))
        #expect(pending.approvedMessages(images: [:]).contains(ApprovalRow.identifier(21)))
    }

    @Test("counts the findings beyond its limit")
    func limit() throws {
        let count = RulesSourceLimits.findingCount + 3
        let messages = (0..<count).map {
            "\"m\($0)\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"\(UUID(high: 1, low: UInt64($0 + 1)))\" } }"
        }
        let rules = (0..<count).map {
            "{ \"id\": \"r\($0)\", \"when\": { \"fact\": \"productId\", \"eq\": \"\($0)\" }, "
                + "\"serve\": { \"message\": \"m\($0)\" } }"
        }
        let source = """
            { "format": 1, "app": { "appAppleId": 1, "bundleId": "b" }, "environment": "Production",
              "messages": { \(messages.joined(separator: ",")) }, "rules": [ \(rules.joined(separator: ",")) ] }
            """
        let findings = ApprovalGate.findings(
            in: Array(source.utf8), model: try RulesCompiler.model(of: Array(source.utf8)),
            states: AppleState(), catalogue: nil, locales: [])
        #expect(findings.count == RulesSourceLimits.findingCount + 1)
        #expect(findings.last?.code == "publish.more-findings" && findings.last?.message == "and 3 more")
    }
}

extension AppleState {
    /// Makes the state after a look at lists with these images and messages.
    init(images: [UUID: ReviewState] = [:], messages: [UUID: ReviewState]) {
        self.init()
        list(
            images.map { ListedImage(imageIdentifier: $0, imageState: $1, imageSize: nil) },
            messages.map { ListedMessage(messageIdentifier: $0, messageState: $1) }, at: 0)
    }
}
