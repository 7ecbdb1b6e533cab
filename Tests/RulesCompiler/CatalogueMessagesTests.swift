import DataFiles
import RulesCompiler
import Support
import Testing
import Vocabulary
import RulesReading

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
        #expect(findings.map(\.code) == ["rules.unknown-message"])
    }

    @Test("must spell its names right, serve its messages by their kind, and have none of the same name")
    func mistakes() {
        let options = RulesCompilerOptions(catalogue: Self.catalogue)
        let misspelt = Self.findings(
            Self.source("\"default\": { \"serve\": { \"message\": \"spar\" } }"), options)
        #expect(misspelt.map(\.code) == ["rules.unknown-message"])
        #expect(misspelt.first?.hint == "did you mean \"spare\"?")
        let kind = Self.findings(
            Self.source("\"default\": { \"serve\": { \"message\": \"half\" } }"), options)
        #expect(kind.map(\.code) == ["rules.wrong-message-kind"])
        let own =
            "\"messages\": { \"spare\": { \"kind\": \"text\", \"ids\": { \"en-US\": \"\(Self.identifier(1))\" } } }"
        let conflict = Self.findings(Self.source(Self.served + ",\n" + own), options)
        #expect(conflict.map(\.code) == ["rules.message-conflict"])
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

    private static func inventory(_ states: [(UInt64, Inventory.State)], image: Inventory.State?) -> Inventory
    {
        let messages = states.map { (identifier($0.0), Inventory.Message(state: $0.1)) }
        var inventory = Inventory(messages: Dictionary(uniqueKeysWithValues: messages))
        if let image { inventory.images[identifier(99)] = image }
        return inventory
    }

    @Test("wait for Apple's approval of what they serve, images among it, and of nothing else")
    func approval() throws {
        let source = Self.source(Self.served)
        func codes(_ states: [(UInt64, Inventory.State)], _ image: Inventory.State?) -> [Finding] {
            let list = Self.inventory(states, image: image)
            return Self.findings(source, RulesCompilerOptions(inventory: list, catalogue: Self.catalogue))
        }
        #expect(codes([(10, .approved), (11, .approved)], .approved) == [])
        let rows: [([(UInt64, Inventory.State)], Inventory.State?, String)] = [
            ([(10, .pending), (11, .approved)], .approved, "rules.not-approved"),
            ([(10, .approved), (11, .rejected)], .approved, "rules.not-approved"),
            ([(10, .approved), (11, .approved)], .pending, "rules.not-approved"),
            ([(10, .approved), (11, .approved)], nil, "rules.not-approved"),
            ([(10, .approved)], .approved, "rules.unknown-identifier"),
        ]
        for (states, image, code) in rows {
            let findings = codes(states, image)
            #expect(findings.map(\.code) == [code], "\(findings.map(\.text))")
            // The message has no place in the rules, so the finding names where they serve it.
            #expect(findings.first?.line == 3 && findings.first?.column == 23)
        }
    }

    @Test(
        "are not served outside Production in locales that Apple has not approved, and lint names where they are served"
    )
    func states() throws {
        let list = Self.inventory([(40, .approved), (41, .pending)], image: nil)
        let options = RulesCompilerOptions(inventory: list, catalogue: Self.catalogue)
        let source = Self.source(Self.served, environment: "Sandbox")
        let model = try RulesCompiler.model(of: source, options: options)
        #expect(model.messages[0].identifiers.map(\.unapproved) == [nil, .pending])
        let findings = try Lint.findings(in: source, now: 0, options: options)
        let pending = findings.filter { $0.code == "lint.pending-locale" }
        #expect(pending.map(\.line) == [3] && pending.map(\.column) == [23])
        #expect(!findings.contains { $0.code == "lint.unused-message" })
        let all = Self.inventory([(40, .pending), (41, .pending)], image: nil)
        let never = try Lint.findings(
            in: source, now: 0, options: RulesCompilerOptions(inventory: all, catalogue: Self.catalogue))
        #expect(never.filter { $0.code == "lint.masked-message" }.map(\.line) == [3])
    }

    /// Rules that serve three messages, spelled in the rules or taken from a catalogue.
    private static func equalSource(_ environment: String, messages: String) -> [UInt8] {
        let rest = """
            "locales": { "fallback": { "de-DE": "en-US" } }, "products": { "p": {} }, \(messages)
            "rules": [
              { "id": "o", "when": { "fact": "productId", "eq": "p" },
                "serve": { "offer": "half", "productId": "p", "offerIdentifier": "x" } },
              { "id": "s", "when": { "fact": "productId", "ne": "p" }, "serve": { "message": "spare" } } ],
            \(served),
            "tests": [ { "name": "t",
              "given": { "productId": "q", "userLocale": "de-DE", "originalTransactionId": "1",
                "now": "2026-11-21T00:00:00Z" },
              "expect": { "rule": "s" } } ]
            """
        return source(rest, environment: environment)
    }

    @Test("are resolved, marked, reported and linted as if the rules spelled them", arguments: [false, true])
    func equality(fails: Bool) throws {
        var catalogue = Self.catalogue
        for environment in [Environment.production, .sandbox] {
            for index in 0..<3 { catalogue.messages[environment]?[index].failsWhenUnapproved = fails }
        }
        var random = SeededGenerator(for: "states of a catalogue \(fails)")
        for round in 0..<200 {
            let environment = Bool.random(using: &random) ? Environment.production : .sandbox
            let messages = try #require(catalogue.messages[environment])
            var inventory = Inventory()
            for entry in messages.flatMap(\.identifiers) where Int.random(in: 0..<30, using: &random) > 0 {
                let state = Inventory.State.allCases.randomElement(using: &random) ?? .approved
                // Most are approved, so that each message has both.
                let isApproved = Int.random(in: 0..<3, using: &random) > 0
                inventory.messages[entry.identifier] = .init(state: isApproved ? .approved : state)
            }
            inventory.images[Self.identifier(99)] = Inventory.State.allCases.randomElement(using: &random)
            // A list spells the images of a message that rules spell; the catalogue knows them by itself.
            var spelled = inventory
            spelled.messages[Self.identifier(10)]?.images = [Self.identifier(99)]
            let allowsPending = Bool.random(using: &random)
            let own = messages.map { message in
                let ids = message.identifiers.map { "\"\($0.locale)\": \"\($0.identifier)\"" }
                let word = fails ? ", \"whenUnapproved\": \"pass\"" : ""
                return "\"\(message.name)\": { \"kind\": \"\(message.kind.name)\""
                    + ", \"ids\": { \(ids.joined(separator: ", ")) }\(word) }"
            }
            let first = Self.outcome(
                Self.equalSource(
                    environment.rawValue, messages: "\"messages\": { \(own.joined(separator: ", ")) },"),
                RulesCompilerOptions(inventory: spelled, allowsPending: allowsPending))
            let second = Self.outcome(
                Self.equalSource(environment.rawValue, messages: ""),
                RulesCompilerOptions(inventory: inventory, allowsPending: allowsPending, catalogue: catalogue)
            )
            #expect(first == second, "round \(round)")
        }
    }

    /// What the compiler and lint make of a source. Places of findings are left out: they differ.
    private static func outcome(_ source: [UInt8], _ options: RulesCompilerOptions) -> [String] {
        do throws(RulesSourceError) {
            let rules = try RulesCompiler.resolve(source, options: options)
            let findings = try Lint.findings(in: source, now: 0, options: options)
            let pending = rules.model.pendingLocales.map(\.text)
            return [String(decoding: rules.text, as: UTF8.self)] + pending
                + findings.map { "\($0.code) \($0.message)" }.sorted()
        } catch {
            return error.findings.map { "\($0.code) \($0.message)" }.sorted()
        }
    }
}
