internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads rules and what they serve.
struct RuleReader {
    private let messages: [RulesModel.Message]
    private var places: [String: Int] = [:]
    private let conditions: ConditionReader

    /// Knows the messages by their names, and the facts that the source declares.
    init(messages: [RulesModel.Message], declaredFacts: Set<String>) {
        self.messages = messages
        for (place, message) in messages.enumerated() { places[message.name] = place }
        conditions = ConditionReader(declaredFacts: declaredFacts)
    }

    func rules(_ value: SourceValue) -> [RulesModel.Rule] {
        guard let elements = value.elements(limit: RulesCompilerLimits.ruleCount) else { return [] }
        var known: [String: String] = [:]
        return elements.compactMap { element in
            guard element.isObject else { return nil }
            element.checkKeys(.rule)
            let id = identifier(of: element, &known)
            let condition = element.member("when").map { conditions.read($0, depth: 1) }
            let isEnabled = element.member("enabled").map { $0.boolean }
            let window = element.member("window").map { self.window($0) }
            guard let id, let outcome = element.required("serve").flatMap(serve) else { return nil }
            var rule = RulesModel.Rule(id: id, outcome: outcome)
            rule.condition = condition ?? nil
            rule.isEnabled = (isEnabled ?? true) ?? true
            (rule.windowFrom, rule.windowTo) = window ?? (nil, nil)
            return rule
        }
    }

    private func identifier(of rule: SourceValue, _ known: inout [String: String]) -> String? {
        guard let value = rule.required("id"), let id = value.string, value.checkName(id, isKey: false) else {
            return nil
        }
        if let first = known[id] {
            value.report(.duplicateID, "the id \"\(id)\" stands twice", hint: "first in \(first)")
            return nil
        }
        known[id] = rule.path.text
        return id
    }

    private func window(_ value: SourceValue) -> (Int64?, Int64?) {
        guard value.isObject else { return (nil, nil) }
        value.checkKeys(.window)
        let (from, to) = (value.member("from"), value.member("to"))
        guard from != nil || to != nil else {
            value.report(.badWindow, "a window needs \"from\", \"to\" or both")
            return (nil, nil)
        }
        let begin = from.flatMap(\.date)
        let end = to.flatMap(\.date)
        if let begin, let end, begin >= end {
            to?.report(
                .badWindow,
                "the window ends before it begins",
                hint: "\"to\" is the first moment after it"
            )
            return (nil, nil)
        }
        return (begin, end)
    }

    /// Reads `serve` of a rule or of the default.
    func serve(_ value: SourceValue) -> RulesModel.Outcome? {
        if let word = value.value.string {
            guard word == "none" else {
                value.report(.wrongType, "expected \"none\" or an object", hint: "{ \"message\": NAME }")
                return nil
            }
            return .nothing
        }
        guard value.isObject else { return nil }
        value.checkKeys(.serve)
        guard let message = value.member("message") else {
            let isLater = value.value.members.contains { Keys.serve.later.contains($0.name) }
            if !isLater { value.report(.missingKey, "\"message\" is missing") }
            return nil
        }
        guard let name = message.string else { return nil }
        guard let place = places[name] else {
            let near = Spelling.nearest(to: name, among: messages.map(\.name))
            let hint = near.map { "did you mean \"\($0)\"?" }
            message.report(.unknownMessage, "there is no message \"\(name)\"", hint: hint)
            return nil
        }
        guard messages[place].kind == .text else {
            let kind = messages[place].kind.name
            message.report(
                .wrongMessageKind,
                "\"\(name)\" is a message of kind \(kind)",
                hint: "\"message\" serves kind text"
            )
            return nil
        }
        return .message(place)
    }
}
