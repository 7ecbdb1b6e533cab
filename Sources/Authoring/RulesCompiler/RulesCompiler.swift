public import DataFileWriting
public import DataFiles
internal import JSON
internal import Vocabulary

/// The options of ``RulesCompiler``.
public struct RulesCompilerOptions: Sendable {
    /// Apple's lists of the app's messages and images. With nil, every message counts as approved.
    public var inventory: Inventory?
    /// True when identifiers that Apple has not approved are also compiled for Production; they are then masked, so not
    /// served.
    public var allowsPending: Bool

    /// The messages of a catalogue. With nil, rules serve only the messages of their own source.
    public var catalogue: CatalogueMessages?

    /// Creates options; by default every message counts as approved, and there is no catalogue.
    public init(inventory: Inventory? = nil, allowsPending: Bool = false, catalogue: CatalogueMessages? = nil)
    {
        self.inventory = inventory
        self.allowsPending = allowsPending
        self.catalogue = catalogue
    }
}

/// Compiles a rules source, described in retention-rules(5), into a rules file.
///
///     let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "example 1.0")
///     let file = try RulesCompiler.compile(source, stamp: stamp)
///
/// The compiler ignores nothing in a source: an unknown key is an error. One run finds all errors.
public enum RulesCompiler {
    /// Returns the rules file of a source. The same source, options and stamp always give the same bytes.
    ///
    /// - Throws: all errors of the source.
    public static func compile(
        _ source: [UInt8], stamp: DataFileStamp, options: RulesCompilerOptions = RulesCompilerOptions()
    ) throws(RulesCompilerError) -> [UInt8] {
        RulesFileWriter.write(try model(of: source, options: options), stamp: stamp)
    }

    /// Returns the model of a source.
    ///
    /// - Throws: all errors of the source.
    public static func model(of source: [UInt8], options: RulesCompilerOptions = RulesCompilerOptions())
        throws(RulesCompilerError) -> RulesModel
    {
        let limits = JSONLimits(
            byteCount: RulesCompilerLimits.sourceByteCount, depth: RulesCompilerLimits.jsonDepth)
        return try read(source, limits, subject: "rules") { root in
            var model = SourceReader(findings: root.findings, catalogue: options.catalogue).read(root)
            if let inventory = options.inventory {
                let check = InventoryCheck(
                    inventory: inventory, allowsPending: options.allowsPending,
                    catalogueImages: options.catalogue?.images ?? [:])
                check.apply(to: &model, root)
            }
            if root.findings.isEmpty { ConditionLimit.check(model, root) }
            return model
        }
    }

    /// Parses a JSON text and returns the result of `body`. Throws when the text is malformed or `body` reports findings.
    static func read<Value>(
        _ source: [UInt8], _ limits: JSONLimits, subject: String, _ body: (SourceValue) -> Value
    ) throws(RulesCompilerError) -> Value {
        let source = source.withoutByteOrderMark
        let document = try JSONError.mapped(
            to: { RulesCompilerError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(source: source, subject: subject, limit: RulesCompilerLimits.findingCount)
        let value = body(SourceValue(document.root, path: [], findings))
        guard findings.isEmpty else { throw RulesCompilerError(findings: findings.sorted) }
        return value
    }
}
