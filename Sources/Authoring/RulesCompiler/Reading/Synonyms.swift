/// What conditions are called in other rules languages, and here.
enum Synonyms {
    /// The key that was meant.
    static func meaning(of word: String) -> String? { words[word.lowercased().filter { $0 != "_" }] }

    private static let words: [String: String] = {
        let lists: [(String, [String])] = [
            ("eq", ["equals", "equal", "is", "==", "="]),
            ("ne", ["notequals", "notequal", "isnot", "neq", "!="]),
            ("in", ["oneof", "isoneof", "isin", "contains"]),
            ("notIn", ["notoneof", "isnotoneof", "isnotin", "nin", "notcontains"]),
            ("gt", ["greaterthan", "greater", "above", "after", ">"]),
            ("gte", ["ge", "greaterthanorequal", "greaterthanequal", "atleast", "min", ">="]),
            ("lt", ["lessthan", "less", "below", "before", "<"]),
            ("lte", ["le", "lessthanorequal", "lessthanequal", "atmost", "max", "<="]),
            ("between", ["range"]), ("exists", ["isset", "present", "defined"]),
            ("prefix", ["startswith", "beginswith"]),
            ("all", ["and", "allof"]), ("any", ["or", "anyof"]), ("not", ["noneof"]),
            ("fact", ["field", "attribute", "property", "key"]),
        ]
        return Dictionary(lists.flatMap { meant, words in words.map { ($0, meant) } }) { first, _ in first }
    }()
}
