public import Vocabulary

/// Values that a JSON text spells as words. Each language has its own reasons for what is wrong with them.
extension SourceValue {
    /// Returns the UUID. Reports any other value, a string with this reason, and returns nil.
    public func uuid(_ reason: some FindingReason) -> UUID? {
        guard let text = string else { return nil }
        guard let identifier = UUID(text) else {
            let hint = "8-4-4-4-12 hexadecimal digits"
            findings.add(reason: reason, "not a UUID", at: path, hint: hint)
            return nil
        }
        return identifier
    }

    /// Reads a word that stands for one of several values. Reports any other word with a hint.
    ///
    /// - Parameters:
    ///   - values: the values.
    ///   - name: returns the word for a value.
    ///   - reason: the reason of the finding.
    ///   - message: returns the message of the finding about a word.
    /// - Returns: the value, or nil.
    public func choice<Value>(
        of values: [Value], named name: (Value) -> String, _ reason: some FindingReason,
        _ message: (String) -> String
    ) -> Value? {
        guard let word = string else { return nil }
        if let value = values.first(where: { name($0) == word }) { return value }
        let hint = Hint.choice(word, among: values.map(name))
        findings.add(reason: reason, message(word), at: path, hint: hint)
        return nil
    }
}
