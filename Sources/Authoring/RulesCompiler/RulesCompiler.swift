public import DataFiles
internal import JSON

/// Turns a rules source (rules.md section 2) into a rules file.
///
/// Nothing in a source is ignored: a key that the language does not have, or that this version cannot compile, is an
/// error. All errors are found in one run.
public enum RulesCompiler {
    /// The rules file for a source. Equal source and stamp give equal bytes.
    ///
    /// - Throws: everything that is wrong with the source.
    public static func compile(
        _ source: [UInt8],
        stamp: RulesFileStamp
    ) throws(RulesCompilerError) -> [UInt8] {
        RulesFileWriter.write(try model(of: source), stamp: stamp)
    }

    /// What a source says.
    ///
    /// - Throws: everything that is wrong with the source.
    public static func model(of source: [UInt8]) throws(RulesCompilerError) -> RulesModel {
        let limits = JSONLimits(
            byteCount: RulesCompilerLimits.sourceByteCount,
            depth: RulesCompilerLimits.jsonDepth
        )
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
        let findings = Findings(source: source)
        let model = SourceReader(findings: findings).read(SourceValue(document.root, path: [], findings))
        let diagnostics = findings.sorted
        guard diagnostics.isEmpty else { throw RulesCompilerError(diagnostics: diagnostics) }
        return model
    }
}
