internal import Facts
internal import JSON
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
    package var appAppleId: Int64?
    package var bundleId: String?
    package var environment: Environment?

    package init(
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
    package init(parsing source: [UInt8]) throws(FactsCompilerError) {
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

struct FactsSchemaReader {
    let root: JSONValue
    let findings: Findings

    /// Returns the schema. It is valid only when `findings` is empty afterwards.
    func read() -> FactsSchema {
        FactsSchema(
            facts: facts(), appAppleId: appAppleId(),
            bundleId: root.member("app")?.member("bundleId")?.string, environment: environment())
    }

    private func facts() -> [FactsSchema.Fact] {
        guard let list = root.member("facts"), list.kind == .object else {
            findings.add(
                reason: FactsReason.badSchema, "no object \"facts\"", at: [],
                hint: "{\"facts\": {\"paidPeriods\": \"int\"}}")
            return []
        }
        var facts: [FactsSchema.Fact] = []
        for (name, value) in list.members {
            let path: JSONPath = [.member("facts"), .member(name)]
            if let hint = Self.nameHint(name) {
                findings.add(
                    reason: FactsReason.badSchema, "\"\(name)\" cannot be the name of a fact", at: path,
                    isKey: true, hint: hint)
            }
            guard let text = value.string, let type = FactType(text) else {
                findings.add(
                    reason: FactsReason.badSchema, "not a type", at: path,
                    hint: "bool, int, date, string or enum(a, b)")
                continue
            }
            facts.append(FactsSchema.Fact(name: name, type: type))
        }
        if facts.count > DataFileLimits.factCount {
            findings.add(
                reason: FactsReason.badSchema, "more than \(DataFileLimits.factCount) facts",
                at: [.member("facts")])
        }
        return facts
    }

    /// Returns a hint for a name that rules cannot declare, or nil for a name that they can declare.
    private static func nameHint(_ name: String) -> String? {
        guard !Fact.builtIns.contains(where: { $0.builtInName == name }) else {
            return "the service knows this by itself"
        }
        let limit = FactsCompilerLimits.nameByteCount
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isAllowed && (1...limit).contains(name.utf8.count)
            ? nil : "1 to \(limit) of A-Z, a-z, 0-9, _, - and ."
    }

    private func appAppleId() -> Int64? {
        guard let value = root.member("app")?.member("appAppleId") else { return nil }
        guard let number = value.int64, number > 0 else {
            findings.add(
                reason: FactsReason.badSchema, "not Apple's number of an app",
                at: [.member("app"), .member("appAppleId")])
            return nil
        }
        return number
    }

    private func environment() -> Environment? {
        guard let value = root.member("environment") else { return nil }
        guard let environment = value.string.flatMap(Environment.init(rawValue:)), environment != .xcode
        else {
            findings.add(
                reason: FactsReason.badSchema, "not an environment", at: [.member("environment")],
                hint: "Production, Sandbox, LocalTesting")
            return nil
        }
        return environment
    }
}
