internal import DataFiles

/// What conditions are called in other rules languages, and here.
enum Synonyms {
    /// The key that was meant.
    static func meaning(of word: String) -> String? { words[word.lowercased().filter { $0 != "_" }] }

    private static let words: [String: String] = {
        let operations = ConditionOperation.allCases.map { ($0.word, $0.synonyms) }
        let lists = operations + [("fact", ["field", "attribute", "property", "key"])]
        return Dictionary(lists.flatMap { meant, words in words.map { ($0, meant) } }) { first, _ in first }
    }()
}
