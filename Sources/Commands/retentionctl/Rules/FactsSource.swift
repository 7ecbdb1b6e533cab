internal import DataFiles
internal import Decisions
internal import Vocabulary

/// A facts file, bound to the rules that read its facts.
struct FactsSource {
    let file: FactsFile
    private let binding: FactsBinding

    /// Opens a facts file and binds it to rules as the service does.
    init(_ path: String, for rules: RulesFile) throws(ToolFailure) {
        try self.init(try CompiledFacts.open(path, check: .structure), path, for: rules)
    }

    /// Binds an open facts file to rules.
    ///
    /// - Throws: `facts.other-app` when the two files are for different apps or environments, else the code of the
    ///   binding.
    init(_ file: FactsFile, _ path: String, for rules: RulesFile) throws(ToolFailure) {
        guard file.header.owner == rules.owner else {
            throw ToolFailure(
                .badData, code: "facts.other-app", "facts of \(file.header.owner), rules of \(rules.owner)",
                file: path)
        }
        self.file = file
        binding = try DataFileError.mapped(
            to: { ToolFailure($0, file: path) },
            try FactsBinding(rules: rules, facts: file)
        )
    }

    /// Returns the facts of a subscriber at this time, as the service would see them. `ageSeconds` replaces the age of
    /// the file.
    func facts(of originalTransactionId: String, atMilliseconds now: Int64, ageSeconds: Int64? = nil)
        -> SubscriberFacts
    {
        SubscriberFacts(
            of: originalTransactionId, in: file, binding,
            ageSeconds: ageSeconds ?? file.ageSeconds(atMilliseconds: now))
    }
}

/// Messages about names of facts.
enum FactNames {
    /// Returns the message that the rules declare no such fact.
    static func unknown(_ name: String) -> String { "the rules declare no fact \"\(name)\"" }

    /// Returns a hint with the nearest declared name, or with all declared names; nil when none is declared.
    static func hint(for name: String, among names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let near = Spelling.nearest(to: name, among: names)
        return near.map { "did you mean \"\($0)\"?" } ?? "declared are: \(names.joined(separator: ", "))"
    }
}
