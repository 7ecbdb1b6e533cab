/// Makes the hints of findings.
public enum Hint {
    /// Returns a hint such as `did you mean "enabled"?`, or nil when no name is near to `word`.
    public static func near(_ word: String, among names: [String]) -> String? {
        Spelling.nearest(to: word, among: names).map { "did you mean \"\($0)\"?" }
    }

    /// Returns a hint with the nearest name, or with all names when none of them is near to `word`.
    public static func choice(_ word: String, among names: [String]) -> String {
        near(word, among: names) ?? "one of " + names.joined(separator: ", ")
    }
}
