internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads a whole rules source. Errors go to ``findings``, and the wrong parts are left out of the model, so that one
/// run finds all errors.
struct SourceReader {
    let findings: Findings
    /// The messages of a catalogue, if there is one.
    let catalogue: CatalogueMessages?

    func read(_ root: SourceValue) -> RulesModel {
        var model = RulesModel(appAppleId: 1, bundleId: "", environment: .production)
        guard root.isObject else { return model }
        root.checkKeys(.root)
        if let schema = root.member("$schema") { _ = schema.string }
        for file in root.member("include")?.elements(limit: RulesSourceLimits.includeCount) ?? [] {
            _ = file.string
        }
        if let format = root.required("format"), let number = format.integer, number != 1 {
            format.report(.unknownFormat, "format \(number) is not known", hint: "this version compiles 1")
        }
        if let app = root.required("app"), app.isObject { read(app: app, into: &model) }
        if let environment = root.required("environment").flatMap(Self.environment) {
            model.environment = environment
        }
        if let metadata = root.member("metadata") { model.metadata = Self.metadata(metadata) }
        model.killSwitch = root.member("killSwitch")?.boolean ?? false
        if let locales = root.member("locales"), locales.isObject {
            (model.localeFallbacks, model.lastLocale) = LocalesReader.read(locales)
        }
        checkCatalogue(root, model)
        readRules(root, into: &model)
        let rules = root.member("rules")?.value
        let hasNoRule = rules.map { $0.kind == .array && $0.count == 0 } ?? true
        if hasNoRule, root.member("default") == nil { root.report(.empty, "neither a rule nor a default") }
        return model
    }

    /// Reads the parts that determine decisions, from products and facts to tests.
    private func readRules(_ root: SourceValue, into model: inout RulesModel) {
        suppressFollowUpErrors(root)
        let products = ProductTable(root.member("products"))
        let facts = FactsReader.read(root.member("facts"))
        let segments = SegmentsReader(root.member("segments"))
        let conditions = ConditionReader(facts: facts, segments: segments.places)
        let known = catalogue?.messages[model.environment] ?? []
        let messages = MessagesReader(
            root.member("messages"), catalogue: known, served: Self.servedNames(root),
            unapproved: root.member("unapproved"))
        let outcomes = OutcomeReader(messages: messages, products: products, hasCatalogue: catalogue != nil)
        let splits = SplitReader(facts: facts)
        model.messages = messages.messages
        model.products = products.products
        model.facts = facts.declarations
        model.segments = segments.read(conditions)
        if let holdout = root.member("holdout") {
            model.holdout = HoldoutReader(splits: splits, outcomes: outcomes).read(holdout)
        }
        if let caps = root.member("caps") { model.caps = CapsReader(facts: facts).read(caps) }
        var ids: Set<String> = []
        if let rules = root.member("rules") {
            let reader = RuleReader(
                conditions: conditions, outcomes: outcomes, splits: splits,
                segmentProducts: ProductSet.sets(of: model.segments),
                truths: ProductEvaluations(model.segments))
            (model.rules, ids) = reader.rules(rules)
        }
        if let outcome = root.member("default"), outcome.isObject {
            outcome.checkKeys(.defaultOutcome)
            model.defaultOutcome = outcome.required("serve").flatMap { outcomes.read($0) }
        }
        if let tests = root.member("tests") {
            let reader = TestsReader(facts: facts, outcomes: outcomes, rules: model.rules, ruleIDs: ids)
            model.tests = reader.read(tests)
        }
    }

    /// When `facts`, `messages`, `segments` or `rules` has the wrong JSON type, all its names are unknown. Those errors
    /// are left out.
    private func suppressFollowUpErrors(_ root: SourceValue) {
        let lists: [(name: String, kind: JSONKind, reason: RulesReason)] = [
            ("facts", .object, .unknownFact), ("messages", .object, .unknownMessage),
            ("segments", .object, .unknownSegment), ("rules", .array, .unknownRule),
        ]
        for list in lists {
            if let value = root.member(list.name)?.value, value.kind != list.kind {
                findings.ignore(list.reason)
            }
        }
    }

    /// Reports a catalogue of another app: its identifiers mean nothing to the app of the rules.
    private func checkCatalogue(_ root: SourceValue, _ model: RulesModel) {
        guard let catalogue, let app = root.member("app"), !model.bundleId.isEmpty,
            catalogue.appAppleId != model.appAppleId || catalogue.bundleId != model.bundleId
        else { return }
        app.report(.otherApp, "the catalogue is for the app \(catalogue.bundleId) (\(catalogue.appAppleId))")
    }

    /// Returns every string that stands where an outcome or a test names a message. Strings that mean something else do no
    /// harm: they only select messages of a catalogue.
    private static func servedNames(_ root: SourceValue) -> Set<String> {
        var names: Set<String> = []
        func collect(_ value: JSONValue) {
            for element in value.elements { collect(element) }
            for (name, member) in value.members {
                if OutcomeReader.heads.contains(name), let text = member.string { names.insert(text) }
                collect(member)
            }
        }
        for (name, value) in root.value.members where name != "messages" { collect(value) }
        return names
    }

    private func read(app: SourceValue, into model: inout RulesModel) {
        app.checkKeys(.app)
        if let identifier = app.required("appAppleId"), let number = identifier.integer {
            if number > 0 {
                model.appAppleId = number
            } else {
                identifier.report(.badNumber, "an appAppleId is above 0")
            }
        }
        // The bundleId is part of signed texts, as product and offer identifiers are.
        model.bundleId = app.required("bundleId")?.storeIdentifier ?? ""
    }

    /// Reads an environment that the service can serve. Apple does not sign the payloads of Xcode, so the service never
    /// answers them.
    static func environment(_ value: SourceValue) -> Environment? {
        value.choice(
            of: Environment.allCases.filter { $0 != .xcode },
            named: \.rawValue,
            RulesReason.unknownEnvironment
        ) { "\"\($0)\" is not an environment that the service can serve" }
    }

    private static func metadata(_ value: SourceValue) -> [RulesModel.Metadatum] {
        (value.members(limit: RulesSourceLimits.metadataCount) ?? []).compactMap { name, value in
            guard !name.isEmpty, name.utf8.count <= RulesSourceLimits.nameByteCount else {
                value.reportKey(.badLength, "a key of metadata is empty or too long")
                return nil
            }
            guard let text = value.string else { return nil }
            guard text.utf8.count <= RulesSourceLimits.stringByteCount else {
                value.report(
                    .badLength,
                    "\(text.utf8.count) bytes, more than the limit of \(RulesSourceLimits.stringByteCount)")
                return nil
            }
            return RulesModel.Metadatum(key: name, value: text)
        }
    }
}
