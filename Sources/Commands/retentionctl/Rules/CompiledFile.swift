internal import Cryptography
internal import DataFiles
internal import JSON
internal import RulesCompiler
internal import System
internal import Vocabulary

/// Reads, writes and shows compiled rules files.
enum CompiledFile {
    /// Opens a file with the same checks as the loader.
    static func open(_ path: String) throws(ToolFailure) -> RulesFile {
        try open(try Input.read(path), path: path)
    }

    /// Opens the bytes of a file with the same checks as the loader.
    static func open(_ bytes: [UInt8], path: String) throws(ToolFailure) -> RulesFile {
        try DataFileError.mapped(
            to: { ToolFailure($0, file: path) },
            try RulesFile(bytes: bytes, check: .full)
        )
    }

    /// Refuses a file that was built more than a day ahead of this machine's clock, as the loader does.
    static func checkBuildTime(_ header: DataFileHeader, path: String) throws(ToolFailure) {
        guard header.builtAtMilliseconds - Clock.wallMilliseconds() <= 86_400_000 else {
            throw ToolFailure(
                .badData, code: "built-in-future", "built more than a day ahead of this machine's clock",
                file: path)
        }
    }

    /// Writes a new file, whole or not at all, and prints its summary.
    static func write(_ bytes: [UInt8], to path: String, json: Bool) throws(ToolFailure) {
        // The loader checks the file in full, so a file that does not pass is not written.
        let file = try open(bytes, path: path)
        try SystemCallError.mapped(
            to: { ToolFailure(writing: path, $0) },
            try AtomicFile.write(bytes.span, to: path, permissions: FileCreationMask.permissionsOfFiles())
        )
        show(file, path: path, json: json)
    }

    /// Prints the summary of a file.
    static func show(_ file: RulesFile, path: String, json: Bool) {
        guard !json else { return Console.print(pretty: self.json(of: file, path: path)) }
        Console.print("\(path): \(summary(of: file))")
        file.header.show(bundleId: file.bundleId)
        for (key, value) in file.metadata {
            let space = String(repeating: " ", count: max(0, 10 - key.count))
            Console.print("  \(key)\(space)  \(value)")
        }
    }

    /// Returns how many rules and messages a file has, and its length, for people.
    static func summary(of file: RulesFile) -> String {
        let rules = file.ruleCount == 1 ? "1 rule" : "\(file.ruleCount) rules"
        let messages = file.messageCount == 1 ? "1 message" : "\(file.messageCount) messages"
        return "\(rules), \(messages), \(file.header.fileByteCount) bytes"
    }

    private static func json(of file: RulesFile, path: String) -> JSONNode {
        .object(
            file.header.members(path: path, bundleId: file.bundleId) + [
                ("rules", .integer(Int64(file.ruleCount))),
                ("messages", .integer(Int64(file.messageCount))),
                ("metadata", .object(file.metadata.map { ($0.key, .string($0.value)) })),
                ("pendingLocales", .array(PendingLocale.all(in: file).map(\.node))),
            ]
        )
    }
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

extension Finding {
    /// Makes the warning for a locale of a compiled file that waits for Apple's approval.
    init(_ pending: PendingLocale, file: String?) {
        self.init(
            code: "lint.\(LintCheck.pendingLocale.rawValue)", severity: .warning, pending.text, file: file)
    }
}
