internal import Facts
public import JSON
public import System

/// Reads a rules source (retention-rules(5)) into a model. An unknown key is an error, and one run finds all errors.
public enum RulesSource {
    public static func read(_ source: [UInt8]) throws(RulesSourceError) -> RulesModel {
        try read(source, catalogue: nil) { _, root in
            root.member("include")?.report(
                .includesFiles, "this source includes files",
                hint: "retentionctl compile writes one that stands alone")
        }
    }

    /// `check` sees the model and the root of the source, and can change the one and report findings about the other.
    public static func read(
        _ source: [UInt8], catalogue: CatalogueMessages?, check: (inout RulesModel, SourceValue) -> Void
    ) throws(RulesSourceError) -> RulesModel {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        let source = source.withoutByteOrderMark
        let document = try JSONError.mapped(
            to: { RulesSourceError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits))
        let findings = Findings(source: source, subject: "rules", limit: RulesSourceLimits.findingCount)
        let root = SourceValue(document.root, path: [], findings)
        var model = SourceReader(findings: findings, catalogue: catalogue).read(root)
        check(&model, root)
        if findings.isEmpty { ConditionLimit.check(model, root) }
        guard findings.isEmpty else { throw RulesSourceError(findings: findings.sorted) }
        return model
    }
}

public struct RulesSourceError: CodedError, Hashable, CustomStringConvertible {
    public let findings: [Finding]

    public init(findings: [Finding]) {
        self.findings = findings
    }

    public var code: String { findings.first?.code ?? "rules.empty" }

    public var description: String { findings.map(\.text).joined(separator: "\n") }
}

/// What a source may leave to a catalogue (retention-catalogue(5)): the messages that it serves by their names, and the products.
public struct CatalogueMessages: Sendable, Hashable {
    public var appAppleId: Int64
    public var bundleId: String
    public var file: String?
    public var environment: Environment?
    public var products: [RulesModel.Product]
    /// The messages for each environment, since an identifier holds in one environment.
    public var messages: [Environment: [RulesModel.Message]]
    /// The images of each message, by the identifier of the message. Apple's lists do not say that.
    public var images: [UUID: [UUID]]

    public init(
        appAppleId: Int64, bundleId: String, environment: Environment? = nil,
        products: [RulesModel.Product] = [], messages: [Environment: [RulesModel.Message]],
        images: [UUID: [UUID]] = [:]
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
        self.products = products
        self.messages = messages
        self.images = images
    }
}

/// Refuses rules with more conditions than a decision may look at. The loader refuses them, too.
enum ConditionLimit {
    static func check(_ model: RulesModel, _ root: SourceValue) {
        var segments: [Int] = []
        for segment in model.segments { segments.append(count(segment.condition, segments)) }
        var sum = 0
        for (index, rule) in model.rules.enumerated() {
            sum += rule.condition.map { count($0, segments) } ?? 0
            guard sum > DataFileLimits.conditionCount else { continue }
            root.findings.add(
                .tooMany,
                "with this rule there are more than \(DataFileLimits.conditionCount) conditions",
                at: [.member("rules"), .index(index)], hint: "a segment counts at each place that names it")
            return
        }
    }

    /// Returns the number of conditions in one; above the limit, the limit plus one.
    private static func count(_ condition: Condition, _ segments: [Int]) -> Int {
        switch condition {
        case .predicate: 1
        case .segment(let index): segments[index]
        case .not(let child): min(1 + count(child, segments), DataFileLimits.conditionCount + 1)
        case .all(let children), .any(let children):
            children.reduce(1) { min($0 + count($1, segments), DataFileLimits.conditionCount + 1) }
        }
    }
}

public enum RulesSourceLimits {
    public static let sourceByteCount = 64 << 20
    /// Each of the 8 levels of conditions takes two levels of JSON; the objects around a condition take the others.
    public static let jsonDepth = 64
    /// Below the length that the service signs.
    public static let requestByteCount = 4_096
    /// The longest SKU, `displayName` and `description` of the Advanced Commerce API, in characters.
    public static let skuCharacterCount = 128
    public static let displayNameCharacterCount = 30
    public static let descriptionCharacterCount = 45
    public static let listCount = 10_000
    /// The longest string in a comparison, in bytes. Product identifiers have at most 255 characters.
    public static let stringByteCount = 1_024
    /// The longest rule id or message name, in bytes. Both are written into log lines.
    public static let nameByteCount = 128
    public static let findingCount = 100
}

/// The wrong sections are left out of the model, so that one run finds all errors.
struct SourceReader {
    let findings: Findings
    let catalogue: CatalogueMessages?

    func read(_ root: SourceValue) -> RulesModel {
        var model = RulesModel(appAppleId: 1, bundleId: "", environment: .production)
        guard root.isObject else { return model }
        root.checkKeys(.root)
        if let schema = root.member("$schema") { _ = schema.string }
        for file in root.member("include")?.elements ?? [] {
            _ = file.string
        }
        if let format = root.required("format"), let number = format.integer, number != 1 {
            format.report(.badValue, "format \(number) is not known", hint: "this version compiles 1")
        }
        if let app = root.required("app"), app.isObject { read(app: app, into: &model) }
        if root.member("environment") == nil, let environment = catalogue?.environment {
            model.environment = environment
        } else if let environment = root.required("environment").flatMap(Self.environment) {
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

    private func readRules(_ root: SourceValue, into model: inout RulesModel) {
        suppressFollowUpErrors(root)
        let declared = root.member("products")
        let products = declared == nil ? ProductTable(catalogue?.products ?? []) : ProductTable(declared)
        let facts = FactTable(root.member("facts"))
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
                conditions: conditions, outcomes: outcomes, splits: splits, segments: model.segments,
                segmentProducts: model.segmentProducts)
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

    /// When one of these has the wrong JSON type, all its names are unknown. Those errors are left out.
    private func suppressFollowUpErrors(_ root: SourceValue) {
        let lists: [(String, JSONKind)] = [
            ("facts", .object), ("messages", .object), ("segments", .object), ("rules", .array),
        ]
        let isWrong = lists.contains { name, kind in root.member(name).map { $0.value.kind != kind } ?? false
        }
        if isWrong { findings.ignore(RulesReason.unknownName) }
    }

    /// Reports a catalogue of another app: its identifiers mean nothing to the app of the rules.
    private func checkCatalogue(_ root: SourceValue, _ model: RulesModel) {
        guard let catalogue, let app = root.member("app"), !model.bundleId.isEmpty,
            catalogue.appAppleId != model.appAppleId || catalogue.bundleId != model.bundleId
        else { return }
        app.report(.otherApp, "the catalogue is for the app \(catalogue.bundleId) (\(catalogue.appAppleId))")
    }

    /// Strings that mean something else do no harm: they only select messages of a catalogue.
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
                identifier.report(.badValue, "an appAppleId is above 0")
            }
        }
        // The bundleId is part of signed texts, as product and offer identifiers are.
        model.bundleId = app.required("bundleId")?.storeIdentifier() ?? ""
    }

    /// Apple does not sign the payloads of Xcode, so the service never answers them.
    static func environment(_ value: SourceValue) -> Environment? {
        value.choice(
            of: Environment.allCases.filter { $0 != .xcode }, named: \.rawValue, RulesReason.badValue
        ) { "\"\($0)\" is not an environment that the service can serve" }
    }

    private static func metadata(_ value: SourceValue) -> [RulesModel.Metadatum] {
        value.entries.compactMap { name, value in
            guard !name.isEmpty, name.utf8.count <= RulesSourceLimits.nameByteCount else {
                value.reportKey(.badValue, "a key of metadata is empty or too long")
                return nil
            }
            guard let text = value.string else { return nil }
            guard text.utf8.count <= RulesSourceLimits.stringByteCount else {
                value.report(
                    .badValue,
                    "\(text.utf8.count) bytes, more than the limit of \(RulesSourceLimits.stringByteCount)")
                return nil
            }
            return RulesModel.Metadatum(key: name, value: text)
        }
    }
}

enum LocalesReader {
    static func read(_ locales: SourceValue) -> (fallbacks: [RulesModel.LocaleFallback], last: String?) {
        locales.checkKeys(.locales)
        var last: String?
        if let value = locales.member("last"), let text = value.string, value.checkLocale(text) {
            last = text
        }
        let members = locales.member("fallback")?.entries ?? []
        var fallbacks: [RulesModel.LocaleFallback] = []
        var next: [String: String] = [:]
        for (locale, value) in members {
            let isLocale = value.checkLocale(locale, isKey: true)
            guard let fallback = value.string, value.checkLocale(fallback), isLocale else { continue }
            fallbacks.append(RulesModel.LocaleFallback(locale: locale, fallback: fallback))
            next[locale] = fallback
        }
        checkSteps(members, next)
        return (fallbacks, last)
    }

    private static func checkSteps(_ members: [(name: String, value: SourceValue)], _ next: [String: String])
    {
        let limit = DataFileLimits.fallbackStepCount
        var reported: Set<String> = []
        for (start, value) in members {
            var way = [start]
            while let following = next[way[way.count - 1]], !reported.contains(following) {
                if let begin = way.firstIndex(of: following) {
                    reported.formUnion(way)
                    let circle = (way[begin...] + [following]).joined(separator: " -> ")
                    value.reportKey(.cycle, "fallbacks go round in a circle: \(circle)")
                    break
                }
                way.append(following)
                guard way.count > limit + 1 else { continue }
                reported.formUnion(way)
                value.reportKey(.tooMany, "more than \(limit) fallbacks lead on from here")
                break
            }
        }
    }
}

/// Reads `holdout`: the subscribers who are kept out of all rules, for comparison.
struct HoldoutReader {
    let splits: SplitReader
    let outcomes: OutcomeReader

    func read(_ value: SourceValue) -> RulesModel.Holdout? {
        guard value.isObject else { return nil }
        value.checkKeys(.holdout)
        let split = splits.split(value)
        let until = value.member("until")?.date
        let outcome = value.required("serve").flatMap(outcome)
        guard let split, let outcome else { return nil }
        return RulesModel.Holdout(split: split, until: until, outcome: outcome)
    }

    private func outcome(_ value: SourceValue) -> RulesModel.Outcome? {
        guard let outcome = outcomes.read(value) else { return nil }
        switch outcome {
        case .nothing, .message: return outcome
        case .switch, .offer, .advancedCommerce:
            value.report(
                .wrongKind, "a holdout serves \"none\" or a message",
                hint: "those who are held out show what happens without rules")
            return nil
        }
    }
}

/// Reads `segments` and orders them so that each refers only to earlier ones.
struct SegmentsReader {
    private let members: [(name: String, value: SourceValue)]
    private let order: [String]
    let places: [String: Int]

    init(_ value: SourceValue?) {
        let members = value?.entries(limit: DataFileLimits.segmentCount) ?? []
        for (name, value) in members { _ = value.checkName(name, isKey: true) }
        self.members = members
        guard members.count <= DataFileLimits.segmentCount else {
            // The names stay known, so that references to them are not reported. So many segments are not ordered.
            order = members.map(\.name)
            places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
            return
        }
        var references: [String: [String]] = [:]
        for (name, value) in members { references[name] = Self.references(in: value.value, depth: 0) }
        var sorting = Sorting(references: references)
        for (name, _) in members {
            guard let circle = sorting.visit(name) else { continue }
            let way = circle.joined(separator: " -> ")
            let first = members.first { $0.name == circle.first }
            first?.value.reportKey(.cycle, "segments go round in a circle: \(way)")
        }
        order = sorting.order
        places = Dictionary(uniqueKeysWithValues: sorting.order.enumerated().map { ($1, $0) })
    }

    func read(_ conditions: ConditionReader) -> [RulesModel.Segment] {
        let read = members.compactMap { name, value in
            conditions.read(value).map { RulesModel.Segment(name: name, condition: $0) }
        }
        return read.sorted { places[$0.name] ?? 0 < places[$1.name] ?? 0 }
    }

    private static func references(in value: JSONValue, depth: Int) -> [String] {
        guard depth <= RulesSourceLimits.jsonDepth else { return [] }
        func member(_ operation: ConditionOperation) -> JSONValue? { value.member(named: operation.word) }
        if let name = member(.segment)?.string { return [name] }
        let groups = [member(.all), member(.any)].compactMap { $0 }
        let children = groups.flatMap(\.elements) + [member(.not)].compactMap { $0 }
        return children.flatMap { references(in: $0, depth: depth + 1) }
    }
}

/// Sorts names so that each follows those that it refers to. Otherwise keeps the order of the visits.
private struct Sorting {
    let references: [String: [String]]
    private(set) var order: [String] = []
    private var way: [String] = []
    private var seen: Set<String> = []

    init(references: [String: [String]]) {
        self.references = references
    }

    mutating func visit(_ name: String) -> [String]? {
        if let begin = way.firstIndex(of: name) { return way[begin...] + [name] }
        guard let next = references[name], seen.insert(name).inserted else { return nil }
        way.append(name)
        var circle: [String]?
        for reference in next {
            let found = visit(reference)
            circle = circle ?? found
        }
        way.removeLast()
        order.append(name)
        return circle
    }
}
