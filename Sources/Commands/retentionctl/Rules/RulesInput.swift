internal import Cryptography
internal import DataFiles
internal import FactsCompiler
internal import JSON
internal import RulesCompiler
internal import RulesReading
internal import System
internal import Vocabulary

/// A rules source that a command reads, with the files that it includes.
struct RulesSourceFile {
    let path: String
    private let text: RulesText

    var bytes: [UInt8] { text.bytes }

    init(_ path: String) throws(ToolFailure) {
        try self.init(path, try Input.read(path))
    }

    init(_ path: String, _ source: [UInt8]) throws(ToolFailure) {
        self.path = path
        do {
            text = try RulesText(source, directory: AtomicFile.split(path).directory) { try Input.read($0) }
        } catch let error as ToolFailure {
            throw error
        } catch let error as RulesSourceError {
            throw ToolFailure(.badData, error.findings)
        } catch {
            preconditionFailure("reading a source throws nothing else")
        }
    }

    /// Returns findings about ``bytes`` with the files and lines that the author knows.
    func placed(_ findings: [Finding]) -> [Finding] { findings.map { text.placed($0, path) } }

    func failure(_ error: RulesSourceError) -> ToolFailure { ToolFailure(.badData, placed(error.findings)) }
}

/// Rules that a command reads, as the service would serve them.
struct RulesInput {
    let source: RulesSourceFile
    let resolved: ResolvedRules

    var rules: RulesFile { resolved.file }

    /// Reads a source, which may serve the messages of a catalogue. What `compile` wrote has those messages itself, so rules
    /// that stand alone take none from the catalogue.
    ///
    /// - Throws: all errors of the source.
    init(_ path: String, catalogue: CatalogueMessages?) throws(ToolFailure) {
        let source = try RulesSourceFile(path)
        if catalogue != nil, let alone = try? RulesInput(source) {
            self = alone
        } else {
            try self.init(source, options: RulesCompilerOptions(catalogue: catalogue))
        }
    }

    /// Resolves a source.
    ///
    /// - Throws: all errors of the source.
    init(_ source: RulesSourceFile, options: RulesCompilerOptions = RulesCompilerOptions())
        throws(ToolFailure)
    {
        self.source = source
        resolved = try RulesSourceError.mapped(
            to: source.failure, try RulesCompiler.resolve(source.bytes, options: options))
    }

    /// The values of the facts that the source declares as enumerations, by the facts' names.
    var enumerations: [String: [String]] {
        // A source without "facts" has no schema.
        guard let schema = try? FactsSchema(parsing: source.bytes) else { return [:] }
        var enumerations: [String: [String]] = [:]
        for fact in schema.facts {
            if case .enumeration(let values) = fact.type { enumerations[fact.name] = values }
        }
        return enumerations
    }

    /// Runs the tests of the rules.
    ///
    /// - Throws: a finding for each test that fails.
    func checkTests(_ status: ExitStatus) throws(ToolFailure) {
        let failures = RulesCompiler.failedTests(of: resolved, source: source.bytes)
        guard failures.isEmpty else { throw ToolFailure(status, source.placed(failures)) }
    }

    /// Warns on standard error about what waits for Apple's approval.
    func reportWaiting() {
        Console.report(
            source.placed(Lint.awaitingApproval(in: resolved, source: source.bytes)), json: false)
    }

    /// How many rules and messages there are, and the length of what is pushed, for people.
    var summary: String {
        let count = rules.ruleCount == 1 ? "1 rule" : "\(rules.ruleCount) rules"
        let messages = rules.messageCount == 1 ? "1 message" : "\(rules.messageCount) messages"
        return "\(count), \(messages), \(resolved.text.count) bytes"
    }

    /// Prints the summary of the rules under the name of a file, and what is pushed.
    func show(_ path: String, json: Bool) {
        guard !json else { return Console.print(pretty: self.json(path)) }
        Console.print("\(path): \(summary)")
        let app = "\(rules.appAppleId) \(rules.bundleId) \(rules.environment.rawValue)"
        Console.print("  app         \(app)")
        Console.print("  sha256      \(rules.digest)")
        for metadatum in resolved.model.metadata {
            let space = String(repeating: " ", count: max(0, 10 - metadatum.key.count))
            Console.print("  \(metadatum.key)\(space)  \(metadatum.value)")
        }
    }

    private func json(_ path: String) -> JSONNode {
        let model = resolved.model
        return .object([
            ("file", .string(path)), ("kind", .string(DataFileKind.rules.name)),
            ("appAppleId", .integer(model.appAppleId)), ("bundleId", .string(model.bundleId)),
            ("environment", .string(model.environment.rawValue)),
            ("sha256", .string(rules.digest.hexadecimal)),
            ("bytes", .integer(Int64(resolved.text.count))),
            ("rules", .integer(Int64(rules.ruleCount))), ("messages", .integer(Int64(rules.messageCount))),
            ("metadata", .object(model.metadata.map { ($0.key, .string($0.value)) })),
            ("pendingLocales", .array(model.pendingLocales.map(\.node))),
        ])
    }
}

extension RulesFile {
    /// The app and the environment of the rules, for messages.
    var owner: String { "\(appAppleId) in \(environment.rawValue)" }
}

extension PendingLocale {
    /// The locale as a JSON object; `standIn` is the locale that is served until the approval, or null.
    fileprivate var node: JSONNode {
        .object([
            ("message", .string(message)), ("locale", .string(locale)),
            ("standIn", standIn.map { .string($0) } ?? .null),
        ])
    }
}
