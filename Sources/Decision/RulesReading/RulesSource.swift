public import DataFiles
package import JSON
public import Vocabulary

/// Reads a rules source, described in retention-rules(5), into a model.
///
/// The reader ignores nothing in a source: an unknown key is an error. One run finds all errors.
///
///     let model = try RulesSource.read(bytes)
///     let messages = model.messages.map(\.name)
public enum RulesSource {
    /// Returns the model of a source that stands alone: its messages have their identifiers, and it includes no file.
    ///
    /// - Throws: all errors of the source.
    public static func read(_ source: [UInt8]) throws(RulesSourceError) -> RulesModel {
        try read(source, catalogue: nil) { _, root in
            root.member("include")?.report(
                .includesFiles, "this source includes files",
                hint: "retentionctl compile writes one that stands alone")
        }
    }

    /// Returns the model of a source that may serve messages of a catalogue by their names. `check` sees the model and
    /// the root of the source, and can change the one and report findings about the other.
    package static func read(
        _ source: [UInt8], catalogue: CatalogueMessages?, check: (inout RulesModel, SourceValue) -> Void
    ) throws(RulesSourceError) -> RulesModel {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        return try parse(source, limits, subject: "rules") { root in
            var model = SourceReader(findings: root.findings, catalogue: catalogue).read(root)
            check(&model, root)
            if root.findings.isEmpty { ConditionLimit.check(model, root) }
            return model
        }
    }

    /// Parses a JSON text and returns the result of `body`. Throws when the text is malformed or `body` reports findings.
    package static func parse<Value>(
        _ source: [UInt8], _ limits: JSONLimits, subject: String, _ body: (SourceValue) -> Value
    ) throws(RulesSourceError) -> Value {
        let source = source.withoutByteOrderMark
        let document = try JSONError.mapped(
            to: { RulesSourceError(findings: [Finding($0)]) },
            try JSONDocument(parsing: source.span, limits: limits)
        )
        let findings = Findings(source: source, subject: subject, limit: RulesSourceLimits.findingCount)
        let value = body(SourceValue(document.root, path: [], findings))
        guard findings.isEmpty else { throw RulesSourceError(findings: findings.sorted) }
        return value
    }
}

/// All errors of a rules source or an inventory that was refused.
public struct RulesSourceError: CodedError, Hashable, CustomStringConvertible {
    /// The findings in the order of the source; at least one.
    public let findings: [Finding]

    package init(findings: [Finding]) {
        self.findings = findings
    }

    /// The code of the first finding.
    public var code: String { findings.first?.code ?? "rules.empty" }

    /// The findings, one on each line.
    public var description: String { findings.map(\.text).joined(separator: "\n") }
}
