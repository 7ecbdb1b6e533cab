/// What a finding advises.
public enum Hint {
    /// `did you mean "enabled"?`; nil when nothing is near.
    public static func near(_ word: String, among names: [String]) -> String? {
        Spelling.nearest(to: word, among: names).map { "did you mean \"\($0)\"?" }
    }

    /// The nearest name, or all of them.
    public static func choice(_ word: String, among names: [String]) -> String {
        near(word, among: names) ?? "one of " + names.joined(separator: ", ")
    }
}
