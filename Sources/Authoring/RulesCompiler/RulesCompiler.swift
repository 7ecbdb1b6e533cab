public import DataFileWriting
public import DataFiles
internal import JSON

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
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: source.span, limits: limits)
        } catch {
            let finding = RulesDiagnostic(
                code: error.code,
                message: error.reason,
                hint: nil,
                position: error.position,
                path: ""
            )
            throw RulesCompilerError(diagnostics: [finding])
        }
        let findings = Findings(source: source, subject: subject)
        let value = body(SourceValue(document.root, path: [], findings))
        let diagnostics = findings.sorted
        guard diagnostics.isEmpty else { throw RulesCompilerError(diagnostics: diagnostics) }
        return value
    }
}
