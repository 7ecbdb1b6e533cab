package import AppStoreServerAPI
internal import Cryptography
internal import Facts
internal import JSON
package import Rules
package import System

package struct RulesCompilerOptions: Sendable {
    /// What is known of Apple's states. With nil, every message counts as the source says.
    package var states: AppleState?
    /// True when Apple has nothing else. What is not there is then not approved either.
    package var hasEveryState = false
    /// The messages of a catalogue. With nil, rules serve only the messages of their own source.
    package var catalogue: CatalogueMessages?

    package init(states: AppleState? = nil, catalogue: CatalogueMessages? = nil) {
        self.states = states
        self.catalogue = catalogue
    }
}

package struct ResolvedRules {
    /// The author's source with the identifiers of a catalogue and those that Apple has not approved. Equal sources and
    /// options give equal bytes.
    package let text: [UInt8]
    package let model: RulesModel
    /// The rules as the service walks them; their digest is that of ``text``.
    package let file: RulesFile

    init(text: [UInt8], model: RulesModel) {
        self.text = text
        self.model = model
        file = RulesFile(model, digest: SHA256.hash(text.span))
    }
}

/// An unknown key is an error, and one run finds all errors.
package enum RulesCompiler {
    package static func resolve(_ source: [UInt8], options: RulesCompilerOptions = RulesCompilerOptions())
        throws(RulesSourceError) -> ResolvedRules
    {
        var root: JSONNode = .null
        let model = try read(source, options) { root = JSONNode($0.value) }
        return ResolvedRules(text: resolved(root, model).serialized(pretty: true) + [0x0A], model: model)
    }

    package static func model(of source: [UInt8], options: RulesCompilerOptions = RulesCompilerOptions())
        throws(RulesSourceError) -> RulesModel
    {
        try read(source, options) { _ in }
    }

    private static func read(
        _ source: [UInt8], _ options: RulesCompilerOptions, _ body: (SourceValue) -> Void
    ) throws(RulesSourceError) -> RulesModel {
        try RulesSource.read(source, catalogue: options.catalogue) { model, root in
            body(root)
            if let states = options.states { mark(&model, states, options) }
        }
    }

    /// Writes into a model what Apple does not show. What is not known stays as the author has written it.
    private static func mark(_ model: inout RulesModel, _ states: AppleState, _ options: RulesCompilerOptions)
    {
        for message in model.messages.indices {
            for place in model.messages[message].identifiers.indices {
                let identifier = model.messages[message].identifiers[place].identifier
                let own = states[.message, identifier]
                let images = options.catalogue?.images[identifier] ?? []
                let known = ([own] + images.map { states[.image, $0] })
                    .compactMap { $0 ?? (options.hasEveryState ? .pending : nil) }
                if known.contains(.rejected) {
                    model.messages[message].identifiers[place].unapproved = .rejected
                } else if known.contains(where: { $0 != .approved }) {
                    model.messages[message].identifiers[place].unapproved = .pending
                } else if own != nil {
                    model.messages[message].identifiers[place].unapproved = nil
                }
            }
        }
    }

    private static func resolved(_ root: JSONNode, _ model: RulesModel) -> JSONNode {
        guard case .object(var members) = root else { return root }
        func place(_ name: String, before next: [String] = ["segments", "holdout", "caps", "rules"]) -> Int {
            if let place = members.firstIndex(where: { $0.0 == name }) { return place }
            let end = members.firstIndex { next.contains($0.0) }
            members.insert((name, .object([])), at: end ?? members.count)
            return end ?? members.count - 1
        }
        let environment = members.firstIndex { $0.0 == "app" }.map { $0 + 1 } ?? 0
        if !members.contains(where: { $0.0 == "environment" }) {
            members.insert(("environment", .string(model.environment.rawValue)), at: environment)
        }
        if !members.contains(where: { $0.0 == "products" }), !model.products.isEmpty {
            let products = model.products.map { product in
                (product.name, JSONNode.object(product.group.map { [("group", .string($0))] } ?? []))
            }
            members[place("products", before: ["facts", "messages", "segments", "holdout", "caps", "rules"])]
                .1 =
                .object(products)
        }
        var messages: [(String, JSONNode)] = []
        if case .object(let own)? = members.first(where: { $0.0 == "messages" })?.1 { messages = own }
        let own = Set(messages.map(\.0))
        messages += model.messages.filter { !own.contains($0.name) }.map { ($0.name, node($0)) }
        if !messages.isEmpty { members[place("messages")].1 = .object(messages) }
        var unapproved: [(String, JSONNode)] = []
        for entry in model.messages.flatMap(\.identifiers) {
            guard let state = entry.unapproved else { continue }
            unapproved.append((entry.identifier.description, .string(state.rawValue)))
        }
        members.removeAll { $0.0 == "unapproved" || $0.0 == "include" }
        if !unapproved.isEmpty { members[place("unapproved")].1 = .object(unapproved) }
        return .object(members)
    }

    private static func node(_ message: RulesModel.Message) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("kind", .string(message.kind.name)),
            ("ids", .object(message.identifiers.map { ($0.locale, .string($0.identifier.description)) })),
        ]
        if message.failsWhenUnapproved {
            members.append(("whenUnapproved", .string(RulesModel.WhenUnapproved.pass.rawValue)))
        }
        return .object(members)
    }
}

extension RulesCompiler {
    /// Returns a finding for each embedded test of a compiled file that fails, with its place in the source, the step at which the
    /// expected rule failed, and the command that explains the decision; at most ``RulesSourceLimits/findingCount``. The loader runs the same tests
    /// and refuses a file in which one fails.
    package static func failedTests(
        of rules: ResolvedRules, source: [UInt8], path file: String = "rules.json"
    ) -> [Finding] {
        let positions = JSONPositions(source: source.withoutByteOrderMark)
        let failed = EmbeddedTests.run(rules.model, rules.file).filter { !$0.passes }
        return failed.prefix(RulesSourceLimits.findingCount).map { result in
            let path: JSONPath = [.member("tests"), .index(result.index), .member("expect")]
            let test = rules.model.tests[result.index]
            let differences =
                result.differences.map(\.description) + [failedStep(test, rules)].compactMap { $0 }
            let position = positions.value(at: path)
            return Finding(
                code: "embedded-test-failed",
                "the test \"\(result.name)\" fails: \(differences.joined(separator: "; "))",
                hint: "see: retentionctl explain \(file) \(arguments(test, rules.model))",
                line: position?.line, column: position?.column, path: path.text)
        }
    }

    private static func failedStep(_ test: RulesModel.EmbeddedTest, _ rules: ResolvedRules) -> String? {
        guard case .rule(let index)? = test.expectation.rule, let id = rules.file.ruleID(at: index) else {
            return nil
        }
        let facts = EmbeddedTests.facts(of: test, rules.model.facts.count)
        let explanation = explain(
            EmbeddedTests.request(of: test, rules.file), facts: facts, using: rules.file)
        var isInRule = false
        var step: String?
        for line in explanation.lines {
            if line.depth == 0 { isInRule = line.step == "rule" && line.result == id }
            if line.step == "rule", line.result == "\(id) (not for this product)" { step = line.result }
            if line.depth == 1, isInRule { step = "\(id): \(line.step): \(line.result)" }
        }
        return step
    }

    private static func arguments(_ test: RulesModel.EmbeddedTest, _ model: RulesModel) -> String {
        func quoted(_ text: String) -> String {
            text.utf8.allSatisfy {
                $0 > 0x2C && $0 < 0x7B && $0 != 0x3B && $0 != 0x3C && $0 != 0x3E && $0 != 0x60
            }
                ? text : "'\(text.replacing("'", with: #"'\''"#))'"
        }
        var words = [
            "--product \(quoted(test.productId))", "--locale \(quoted(test.userLocale))",
            "--subscriber \(quoted(test.originalTransactionId))",
            "--at \(CivilTime(milliseconds: test.nowMilliseconds).exactDescription)",
        ]
        if let facts = test.facts {
            let members = facts.compactMap { fact -> (String, JSONNode)? in
                guard case .declared(let index) = fact.fact else { return nil }
                return (model.facts[index].name, fact.value.node)
            }
            words.append(
                "--facts \(quoted(String(decoding: JSONNode.object(members).serialized(), as: UTF8.self)))")
        }
        if let age = test.factsAgeSeconds { words.append("--facts-age \(age)") }
        return words.joined(separator: " ")
    }
}
