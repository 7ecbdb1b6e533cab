internal import DataFiles
internal import JSON
public import Vocabulary

/// The facts that a table has, and the app and environment that they belong to.
public struct FactsSchema: Sendable, Hashable {
    /// A column of the table.
    public struct Fact: Sendable, Hashable {
        /// The name of the fact and of its column.
        public let name: String
        public let type: FactType

        /// Creates a column; `name` is also the name of the fact.
        public init(name: String, type: FactType) {
            self.name = name
            self.type = type
        }
    }

    /// The name of the column that holds the key of each row.
    public static let keyName = "originalTransactionId"

    /// The facts in the order of the schema.
    public var facts: [Fact]
    /// The appAppleId of the app; nil when the source does not name it.
    public var appAppleId: Int64?
    /// The bundle identifier of the app; nil when the source does not name it.
    public var bundleId: String?
    /// The environment; nil when the source does not name it.
    public var environment: Environment?

    public init(
        facts: [Fact], appAppleId: Int64? = nil, bundleId: String? = nil, environment: Environment? = nil
    ) {
        self.facts = facts
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
    }

    /// Reads `facts`, and if present `app.appAppleId`, `app.bundleId` and `environment`, from a JSON object. The object may be a rules
    /// source or a file that was written only as a schema. Other members are ignored; the rules compiler checks them.
    ///
    /// - Throws: all findings about these members.
    public init(parsing source: [UInt8]) throws(FactsCompilerError) {
        // Skips the byte order mark that some editors write before UTF-8. The rules compiler does the same.
        let source = source.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(source.dropFirst(3)) : source
        let limits = JSONLimits(
            byteCount: FactsCompilerLimits.schemaByteCount, depth: FactsCompilerLimits.depth)
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
