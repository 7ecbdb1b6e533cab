internal import DataFiles

/// The words of other rules languages for the keys of a condition.
enum Synonyms {
    /// Returns the key that a word of another language stands for, or nil when the word is not known.
    static func meaning(of word: String) -> String? { words[word.lowercased().filter { $0 != "_" }] }

    private static let words: [String: String] = {
        let operations = ConditionOperation.allCases.map { ($0.word, $0.synonyms) }
        let lists = operations + [("fact", ["field", "attribute", "property", "key"])]
        return Dictionary(lists.flatMap { meant, words in words.map { ($0, meant) } }) { first, _ in first }
    }()
}
