internal import DataFiles
internal import Decisions
internal import Vocabulary

/// A facts file beside the rules that ask for its facts.
struct FactsSource {
    let file: FactsFile
    private let binding: FactsBinding

    /// Opens a facts file for the rules of a file, as the service pairs them.
    init(_ path: String, for rules: RulesFile) throws(ToolFailure) {
        try self.init(try CompiledFacts.open(path, check: .structure), path, for: rules)
    }

    /// Pairs a facts file that is open with rules.
    init(_ file: FactsFile, _ path: String, for rules: RulesFile) throws(ToolFailure) {
        let (header, other) = (file.header, rules.header)
        guard header.owner == other.owner else {
            throw ToolFailure(
                .badData,
                code: "facts.other-app",
                "facts of \(header.owner), rules of \(other.owner)",
                file: path
            )
        }
        self.file = file
        binding = try DataFileError.mapped(
            to: { ToolFailure($0, file: path) },
            try FactsBinding(rules: rules, facts: file)
        )
    }

    /// What the service knows of a subscriber at a time.
    func facts(
        of originalTransactionId: String,
        atMilliseconds now: Int64,
        ageSeconds: Int64? = nil
    ) -> SubscriberFacts {
        SubscriberFacts(
            of: originalTransactionId,
            in: file,
            binding,
            ageSeconds: ageSeconds ?? file.ageSeconds(atMilliseconds: now)
        )
    }
}

/// The names of facts in messages.
enum FactNames {
    /// That there is no such fact.
    static func unknown(_ name: String) -> String { "the rules declare no fact \"\(name)\"" }

    /// What may be meant by a name that is not there; nil when there are no names.
    static func hint(for name: String, among names: [String]) -> String? {
        guard !names.isEmpty else { return nil }
        let near = Spelling.nearest(to: name, among: names)
        return near.map { "did you mean \"\($0)\"?" } ?? "declared are: \(names.joined(separator: ", "))"
    }
}
