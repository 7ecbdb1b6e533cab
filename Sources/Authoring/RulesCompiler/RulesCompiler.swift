public import DataFileWriting
public import DataFiles
internal import JSON
internal import Vocabulary

/// What the compiler is told beside the source.
public struct RulesCompilerOptions: Sendable {
    /// What Apple says about the app's messages; nil when nothing is known, and everything passes for approved.
    public var inventory: Inventory?
    /// Whether identifiers that Apple has not approved are compiled, masked, in Production too.
    public var allowsPending: Bool

    /// Makes some.
    public init(inventory: Inventory? = nil, allowsPending: Bool = false) {
        self.inventory = inventory
        self.allowsPending = allowsPending
    }
}

/// Turns a rules source (rules.md section 2) into a rules file.
///
/// Nothing in a source is ignored: a key that the language does not have is an error. All errors are found in one run.
public enum RulesCompiler {
    /// The rules file for a source. Equal source, options and stamp give equal bytes.
    ///
    /// - Throws: everything that is wrong with the source.
    public static func compile(
        _ source: [UInt8],
        stamp: DataFileStamp,
        options: RulesCompilerOptions = RulesCompilerOptions()
    ) throws(RulesCompilerError) -> [UInt8] {
        RulesFileWriter.write(try model(of: source, options: options), stamp: stamp)
    }

    /// What a source says.
    ///
    /// - Throws: everything that is wrong with the source.
    public static func model(
        of source: [UInt8],
        options: RulesCompilerOptions = RulesCompilerOptions()
    ) throws(RulesCompilerError) -> RulesModel {
        let limits = JSONLimits(
            byteCount: RulesCompilerLimits.sourceByteCount,
            depth: RulesCompilerLimits.jsonDepth
        )
        return try read(source, limits, subject: "rules") { root in
            var model = SourceReader(findings: root.findings).read(root)
            if let inventory = options.inventory {
                let check = InventoryCheck(inventory: inventory, allowsPending: options.allowsPending)
                check.apply(to: &model, root)
            }
            if root.findings.isEmpty { CostCheck.check(model, root) }
            return model
        }
    }

    /// Parses a text and reads it with `body`, unless that finds anything wrong.
    static func read<Value>(
        _ source: [UInt8],
        _ limits: JSONLimits,
        subject: String,
        _ body: (SourceValue) -> Value
    ) throws(RulesCompilerError) -> Value {
        let source = source.withoutByteOrderMark
        let document = try JSONError.mapped(
            to: { RulesCompilerError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(
            source: source,
            subject: subject,
            limit: RulesCompilerLimits.findingCount
        )
        let value = body(SourceValue(document.root, path: [], findings))
        guard findings.isEmpty else { throw RulesCompilerError(findings: findings.sorted) }
        return value
    }
}
