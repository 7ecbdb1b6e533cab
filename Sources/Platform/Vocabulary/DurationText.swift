/// Writes durations for people.
public enum DurationText {
    /// Returns a duration in its two greatest units, rounded up to seconds: `1 d 2 h`, `3 min 20 s`, `0 s`.
    public static func of(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
            (seconds % 60, "s"),
        ]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return shown.isEmpty ? "0 s" : shown.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}
