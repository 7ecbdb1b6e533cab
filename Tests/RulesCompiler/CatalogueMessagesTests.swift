import AppStoreServerAPI
import Authoring
import Rules
import Support
import System
import Testing

@Suite("Rules that serve the messages of a catalogue")
struct CatalogueMessagesTests {
    private static func identifier(_ number: UInt64) -> UUID { UUID(high: 7, low: number) }

    private static func message(_ name: String, _ kind: MessageKind, _ first: UInt64) -> RulesModel.Message {
        RulesModel.Message(
            name: name,
            kind: kind,
            identifiers: [
                .init(locale: "en-US", identifier: identifier(first)),
                .init(locale: "de-DE", identifier: identifier(first + 1)),
            ]
        )
    }

    private static let catalogue = CatalogueMessages(
        appAppleId: 1,
        bundleId: "b",
        messages: [
            .production: [
                message("reminder", .text, 10), message("half", .offer, 20), message("spare", .text, 30),
            ],
            .sandbox: [
                message("reminder", .text, 40), message("half", .offer, 50), message("spare", .text, 60),
            ],
        ],
        images: [identifier(10): [identifier(99)]]
    )

    private static func source(_ rest: String, environment: String = "Production") -> [UInt8] {
        let head = "{ \"format\": 1, \"app\": { \"appAppleId\": 1, \"bundleId\": \"b\" },\n"
        return Array((head + "\"environment\": \"\(environment)\",\n\(rest) }").utf8)
    }

    private static let served = "\"default\": { \"serve\": { \"message\": \"reminder\" } }"

    private static func findings(_ source: [UInt8], _ options: RulesCompilerOptions) -> [Finding] {
        do throws(RulesSourceError) {
            _ = try RulesCompiler.model(of: source, options: options)
            return []
        } catch { return error.findings }
    }

    @Test("have those that they name, with the identifiers of their environment")
    func messages() throws {
        let options = RulesCompilerOptions(catalogue: Self.catalogue)
        let rules =
            Self.served
            + ", \"messages\": { \"own\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"\(Self.identifier(1))\" } } }"
        let model = try RulesCompiler.model(of: Self.source(rules), options: options)
        #expect(model.messages.map(\.name) == ["own", "reminder"])
        #expect(model.messages[1] == Self.message("reminder", .text, 10))
        #expect(model.defaultOutcome == .message(1))
        let sandbox = try RulesCompiler.model(
            of: Self.source(Self.served, environment: "Sandbox"), options: options)
        #expect(sandbox.messages == [Self.message("reminder", .text, 40)])
        let none = try RulesCompiler.model(
            of: Self.source("\"default\": { \"serve\": \"none\" }"), options: options)
        #expect(none.messages == [])
        // What is resolved needs no catalogue.
        let resolved = try RulesCompiler.resolve(Self.source(rules), options: options)
        #expect(try RulesSource.read(resolved.text) == model)
        #expect(try RulesCompiler.resolve(resolved.text).text == resolved.text)
    }

    @Test("find nothing in a catalogue that is not there")
    func absent() {
        let findings = Self.findings(Self.source(Self.served), RulesCompilerOptions())
        #expect(findings.map(\.code) == ["rules.unknown-name"])
    }

    @Test("must spell its names right, serve its messages by their kind, and have none of the same name")
    func mistakes() {
        let options = RulesCompilerOptions(catalogue: Self.catalogue)
        let misspelt = Self.findings(
            Self.source("\"default\": { \"serve\": { \"message\": \"spar\" } }"), options)
        #expect(misspelt.map(\.code) == ["rules.unknown-name"])
        #expect(misspelt.first?.hint == "did you mean \"spare\"?")
        let kind = Self.findings(
            Self.source("\"default\": { \"serve\": { \"message\": \"half\" } }"), options)
        #expect(kind.map(\.code) == ["rules.wrong-kind"])
        let own =
            "\"messages\": { \"spare\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"\(Self.identifier(1))\" } } }"
        let conflict = Self.findings(Self.source(Self.served + ",\n" + own), options)
        #expect(conflict.map(\.code) == ["rules.duplicate"])
        #expect(conflict.first?.line == 4 && conflict.first?.column == 15)
    }

    @Test("must be of its app")
    func otherApp() {
        for (number, bundle) in [(Int64(2), "b"), (1, "c")] {
            var other = Self.catalogue
            other.appAppleId = number
            other.bundleId = bundle
            let findings = Self.findings(Self.source(Self.served), RulesCompilerOptions(catalogue: other))
            #expect(findings.map(\.code) == ["rules.other-app"])
            #expect(findings.first?.line == 1 && findings.first?.column == 23)
        }
    }

    @Test("are not served in locales that Apple has not approved, and lint names where they are served")
    func states() throws {
        let source = Self.source(Self.served)
        typealias States = [RulesModel.Unapproved?]
        let rows: [(messages: [ReviewState?], image: ReviewState?, states: States, complete: States)] = [
            ([.approved, .approved], .approved, [nil, nil], [nil, nil]),
            ([.pending, .rejected], .approved, [.pending, .rejected], [.pending, .rejected]),
            // A state that this version does not know is not an approval.
            ([.approved, .other("NEW")], .approved, [nil, .pending], [nil, .pending]),
            ([.approved, .approved], .pending, [.pending, nil], [.pending, nil]),
            ([.approved, .approved], .rejected, [.rejected, nil], [.rejected, nil]),
            // What is not known counts as pending only if everything is known.
            ([.approved, nil], nil, [nil, nil], [.pending, .pending]),
        ]
        for row in rows {
            var messages: [UUID: ReviewState] = [:]
            for (number, state) in row.messages.enumerated() {
                messages[Self.identifier(10 + UInt64(number))] = state
            }
            let states = AppleState(
                images: row.image.map { [Self.identifier(99): $0] } ?? [:], messages: messages)
            for (isComplete, expected) in [(false, row.states), (true, row.complete)] {
                var options = RulesCompilerOptions(states: states, catalogue: Self.catalogue)
                options.hasEveryState = isComplete
                let rules = try RulesCompiler.resolve(source, options: options)
                #expect(rules.model.messages[0].identifiers.map(\.unapproved) == expected)
                // The text has the states, so the loader needs no other file.
                #expect(try RulesSource.read(rules.text) == rules.model)
                let waiting = expected.count { $0 != nil }
                let findings = try Lint.findings(in: source, now: 0, options: options)
                let found = findings.filter { $0.code == "lint.pending-locale" }
                #expect(found.map(\.line) == [Int](repeating: 3, count: waiting), "\(findings.map(\.text))")
                // An approval takes the state out of the text.
                let identifiers = rules.model.messages[0].identifiers.map {
                    ($0.identifier, ReviewState.approved)
                }
                let approved = AppleState(messages: Dictionary(identifiers) { first, _ in first })
                let later = try RulesCompiler.resolve(
                    rules.text, options: RulesCompilerOptions(states: approved))
                #expect(later.model.messages[0].identifiers.allSatisfy { $0.unapproved == nil })
            }
        }
    }
}
