internal import Facts
internal import JSON
package import Rules
package import System

package struct FactsSchema: Sendable, Hashable {
    package struct Fact: Sendable, Hashable {
        package let name: String
        package let type: FactType
        package var column: String

        package init(name: String, type: FactType) {
            self.name = name
            self.type = type
            column = name
        }
    }

    package static let keyName = "originalTransactionId"

    package var facts: [Fact]
    package var keyColumn = Self.keyName
    // The source need not name these.
    package private(set) var appAppleId: Int64?
    package private(set) var bundleId: String?
    package private(set) var environment: Environment?

    package init(facts: [Fact]) {
        self.facts = facts
    }

    /// From a rules source, or a file that was written only as a schema. Other members are ignored.
    package init(parsing source: [UInt8]) throws(FactsCompilerError) {
        let source = source.withoutByteOrderMark
        let limits = JSONLimits(
            byteCount: FactsCompilerLimits.schemaByteCount, depth: FactsCompilerLimits.depth)
        let document = try JSONError.mapped(
            to: { FactsCompilerError.findings([Finding($0).withCode(.badSchema)]) },
            try JSONDocument(parsing: source.span, limits: limits))
        let findings = Findings(source: source, subject: "facts", limit: FactsCompilerLimits.findingCount)
        let root = SourceValue(document.root, path: [], findings)
        let declared = root.isObject ? root.required("facts").map(RulesModel.facts(declaredIn:)) : nil
        facts = (declared ?? []).map { fact in
            Fact(name: fact.name, type: FactType(fact))
        }
        let app = root.member("app")
        bundleId = app?.member("bundleId")?.value.string
        if let value = app?.member("appAppleId") {
            appAppleId = value.integer
            if let number = appAppleId, number <= 0 {
                findings.add(reason: FactsReason.badSchema, "not Apple's number of an app", at: value.path)
            }
        }
        environment = root.member("environment")?.choice(
            of: Environment.allCases.filter { $0 != .xcode }, named: \.rawValue, FactsReason.badSchema
        ) { "\"\($0)\" is not an environment" }
        guard findings.isEmpty else { throw .findings(findings.sorted.map { $0.withCode(.badSchema) }) }
    }
}

extension Finding {
    fileprivate func withCode(_ reason: FactsReason) -> Finding {
        var finding = self
        finding.code = "facts.\(reason.rawValue)"
        return finding
    }
}
