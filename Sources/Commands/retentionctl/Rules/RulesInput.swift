internal import Authoring
internal import CommandLineTool
internal import Cryptography
internal import Facts
internal import JSON
internal import Rules
internal import System

struct RulesSourceFile {
    let path: String
    private let text: RulesText

    var bytes: [UInt8] { text.bytes }

    init(_ path: String) throws {
        try self.init(path, try Input.read(path))
    }

    init(_ path: String, _ source: [UInt8]) throws {
        self.path = path
        text = try RulesText(source, directory: AtomicFile.split(path).directory) { try Input.read($0) }
    }

    /// Returns findings about ``bytes`` with the files and lines that the author knows.
    func placed(_ findings: [Finding]) -> [Finding] { findings.map { text.placed($0, path) } }

    func failure(_ error: RulesSourceError) -> ToolError { ToolError(placed(error.findings)) }
}

/// Rules that a command reads, as the service would serve them.
struct RulesInput {
    let source: RulesSourceFile
    let resolved: ResolvedRules
    private let catalogueFile: String?

    var rules: RulesFile { resolved.file }

    /// What `compile` wrote has its messages itself, so rules that stand alone take none from the catalogue.
    init(_ path: String, catalogue: CatalogueMessages?) throws {
        let source = try RulesSourceFile(path)
        if catalogue != nil, let alone = try? RulesInput(source) {
            self = alone
        } else {
            try self.init(source, options: RulesCompilerOptions(catalogue: catalogue))
        }
    }

    init(_ source: RulesSourceFile, options: RulesCompilerOptions = RulesCompilerOptions()) throws {
        self.source = source
        catalogueFile = options.catalogue?.file
        resolved = try RulesSourceError.mapped(
            to: source.failure, try RulesCompiler.resolve(source.bytes, options: options))
    }

    /// The values of the facts that the source declares as enumerations, by the facts' names.
    var enumerations: [String: [String]] {
        let values = resolved.model.facts.compactMap { fact in fact.values.map { (fact.name, $0) } }
        return Dictionary(values) { first, _ in first }
    }

    /// A finding for each test that fails, with the command that explains it.
    var failedTests: [Finding] {
        // Rules that take their messages from a catalogue may take their environment from the option.
        let words = catalogueFile.map {
            "\(source.path) --catalogue \($0) --environment \(rules.environment.rawValue)"
        }
        return source.placed(
            RulesCompiler.failedTests(of: resolved, source: source.bytes, path: words ?? source.path))
    }

    func checkTests(_ status: ExitStatus) throws {
        let failures = failedTests
        guard failures.isEmpty else { throw ToolError(status, failures) }
    }

    func check(product: String) throws {
        let products = resolved.model.products.map(\.name)
        guard products.isEmpty || products.contains(product) else {
            throw ToolError(
                code: "explain.undeclared-product", "the rules declare no product \"\(product)\"",
                hint: Hint.choice(product, among: products), file: source.path)
        }
    }

    func reportWaiting() {
        Console.report(
            source.placed(Lint.awaitingApproval(in: resolved, source: source.bytes)), json: false)
    }

    var summary: String {
        let count = rules.ruleCount == 1 ? "1 rule" : "\(rules.ruleCount) rules"
        let messages = rules.messageCount == 1 ? "1 message" : "\(rules.messageCount) messages"
        return "\(count), \(messages), \(resolved.text.count) bytes"
    }

    /// What the rules are and have, as members of a report. The digest and the length are those of what is pushed.
    var members: [(String, JSONNode)] {
        let model = resolved.model
        return [
            ("kind", .string(DataFileKind.rules.name)), ("appAppleId", .integer(model.appAppleId)),
            ("bundleId", .string(model.bundleId)), ("environment", .string(model.environment.rawValue)),
            ("sha256", .string(rules.digest.hexadecimal)), ("bytes", JSONNode(resolved.text.count)),
            ("rules", JSONNode(rules.ruleCount)), ("messages", JSONNode(rules.messageCount)),
            ("metadata", .object(model.metadata.map { ($0.key, .string($0.value)) })),
            ("pendingLocales", .array(model.pendingLocales.map(\.node))),
        ]
    }
}

extension RulesFile {
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }
}

extension PendingLocale {
    /// The locale as a JSON object; `standIn` is the locale that is served until the approval, or null.
    fileprivate var node: JSONNode {
        .object([
            ("message", .string(message)), ("locale", .string(locale)),
            ("standIn", JSONNode(standIn)),
        ])
    }
}
