internal import DataFiles
internal import JSON
public import Vocabulary

/// Which facts a table has, and whose they are.
public struct FactsSchema: Sendable, Hashable {
    /// A column of the table.
    public struct Fact: Sendable, Hashable {
        /// The name of the fact and of its column.
        public let name: String
        /// The type of its values.
        public let type: FactType

        /// Makes one.
        public init(name: String, type: FactType) {
            self.name = name
            self.type = type
        }
    }

    /// The column with the key of each row.
    public static let keyName = "originalTransactionId"

    /// The facts in their order.
    public var facts: [Fact]
    /// The app, Apple's number; nil when the source does not say.
    public var appAppleId: Int64?
    /// The environment; nil when the source does not say.
    public var environment: Environment?

    /// A schema of these facts.
    public init(facts: [Fact], appAppleId: Int64? = nil, environment: Environment? = nil) {
        self.facts = facts
        self.appAppleId = appAppleId
        self.environment = environment
    }

    /// Reads `facts`, and where they are there `app.appAppleId` and `environment`, of a JSON object: of a rules
    /// source, or of a file made for this. What else it has is the rules compiler's business.
    ///
    /// - Throws: everything that is wrong with them.
    public init(parsing source: [UInt8]) throws(FactsCompilerError) {
        // The mark that some editors put before UTF-8 is passed over, as in rules.
        let source = source.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(source.dropFirst(3)) : source
        let limits = JSONLimits(
            byteCount: FactsCompilerLimits.schemaByteCount,
            depth: FactsCompilerLimits.depth
        )
        let document = try JSONError.mapped(
            to: {
                FactsCompilerError.findings([
                    Finding(.badSchema, $0.reason, line: $0.position?.line, column: $0.position?.column)
                ])
            },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(source: source, subject: "facts", limit: FactsCompilerLimits.findingCount)
        let schema = FactsSchemaReader(root: document.root, findings: findings).read()
        guard findings.isEmpty else { throw .findings(findings.sorted) }
        self = schema
    }
}
