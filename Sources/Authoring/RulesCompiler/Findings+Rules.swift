internal import JSON
internal import Vocabulary

extension Findings {
    /// Adds a lint finding about a value of a rules source, or about its key.
    func add(
        _ check: LintCheck, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        add(reason: check, message, at: path, isKey: isKey, hint: hint())
    }
}
