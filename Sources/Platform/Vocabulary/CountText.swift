/// Writes a number with its noun for people.
public enum CountText {
    /// Returns the number and the noun, with an s unless the number is 1: `1 image`, `2 images`.
    public static func of(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
