internal import Facts
public import JSON
public import System

/// Reads a rules source, described in retention-rules(5), into a model.
///
/// The reader ignores nothing in a source: an unknown key is an error. One run finds all errors.
public enum RulesSource {
    /// Returns the model of a source that stands alone: its messages have their identifiers, and it includes no file.
    public static func read(_ source: [UInt8]) throws(RulesSourceError) -> RulesModel {
        try read(source, catalogue: nil) { _, root in
            root.member("include")?.report(
                .includesFiles, "this source includes files",
                hint: "retentionctl compile writes one that stands alone")
        }
    }

    /// Returns the model of a source that may serve messages of a catalogue by their names. `check` sees the model and
    /// the root of the source, and can change the one and report findings about the other.
    public static func read(
        _ source: [UInt8], catalogue: CatalogueMessages?, check: (inout RulesModel, SourceValue) -> Void
    ) throws(RulesSourceError) -> RulesModel {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        let source = source.withoutByteOrderMark
        let document = try JSONError.mapped(
            to: { RulesSourceError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(source: source, subject: "rules", limit: RulesSourceLimits.findingCount)
        let root = SourceValue(document.root, path: [], findings)
        var model = SourceReader(findings: findings, catalogue: catalogue).read(root)
        check(&model, root)
        if findings.isEmpty { ConditionLimit.check(model, root) }
        guard findings.isEmpty else { throw RulesSourceError(findings: findings.sorted) }
        return model
    }
}

/// All errors of a rules source that was refused.
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
    /// The path of the catalogue, for messages to people.
    public var file: String?
    /// The environment of a source that names none.
    public var environment: Environment?
    /// The products of a source that declares none.
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

/// The limits of a rules source. An app has a few products and at most 2,000 messages; the limits are far above that.
public enum RulesSourceLimits {
    /// The longest source in bytes.
    public static let sourceByteCount = 64 << 20
    /// The deepest nesting of the JSON text. Each of the 8 levels of conditions takes two levels of JSON; the objects
    /// around a condition take the others.
    public static let jsonDepth = 64
    /// The most files that a source includes.
    public static let includeCount = 100
    /// The most messages, counted by name. Apple allows 2,000 messages per app (Upload Message), and counts each locale.
    public static let messageCount = 2_000
    /// The most products. App Store Connect allows 10,000 products per app.
    public static let productCount = 10_000
    /// The most values that compiler and lint compare to find the declared products for which conditions may be true.
    public static let productTruthStepCount = 20_000_000
    /// The most values of an `enum` fact.
    public static let enumCount = 1_000
    /// The most arms of one rule. Each arm has at least one of the 10,000 buckets.
    public static let armCount = 100
    /// The most embedded tests; the loader runs them all.
    public static let testCount = 10_000
    /// The longest Advanced Commerce request, in bytes of JSON. A request holds a few names and numbers. The limit is
    /// below the length that the service signs.
    public static let requestByteCount = 4_096
    /// The longest SKU of the Advanced Commerce API, in characters.
    public static let skuCharacterCount = 128
    /// The longest `displayName` of the Advanced Commerce API, in characters.
    public static let displayNameCharacterCount = 30
    /// The longest `description` of the Advanced Commerce API, in characters.
    public static let descriptionCharacterCount = 45
    /// The most locales of one message; the App Store has about 40.
    public static let localeCount = 200
    /// The most fallbacks from one locale to another.
    public static let fallbackCount = 1_000
    /// The most entries of `metadata`.
    public static let metadataCount = 64
    /// The most values of one `in` or `notIn`.
    public static let listCount = 10_000
    /// The most conditions in one `all` or `any`.
    public static let groupCount = 1_000
    /// The longest string in a comparison, in bytes. Product identifiers have at most 255 characters.
    public static let stringByteCount = 1_024
    /// The longest rule id or message name, in bytes. Both are written into log lines.
    public static let nameByteCount = 128
    /// The most findings of one run. An author with more findings repairs these first.
    public static let findingCount = 100
}
