import Decisions
import JSON
import Vocabulary

/// The rules language once more, as naively as it can be said: walks the JSON source for every request, compares
/// strings, sorts nothing and knows nothing of the file. Agreement with it is the evaluator's main test.
struct ReferenceEvaluator {
    let source: JSONNode

    /// What is served: a message identifier in lower case, or nil; the rule's id; and why.
    struct Answer: Hashable {
        var message: String?
        var rule: String?
        var reason: String
    }

    func answer(_ request: DecisionRequest) -> Answer {
        if case .boolean(true)? = source["killSwitch"] { return Answer(reason: "KILL_SWITCH") }
        guard case .integer(request.appAppleId)? = source["app"]?["appAppleId"],
            source["environment"]?.text == request.environment.rawValue
        else { return Answer(reason: "ERROR") }
        var hasNoLocale = false
        for rule in source["rules"]?.elements ?? [] where matches(rule, request) {
            guard let serve = rule["serve"] else { continue }
            if serve.text == "none" { return Answer(rule: rule["id"]?.text, reason: "TARGETING_MATCH") }
            if let message = message(serve, request) {
                return Answer(message: message, rule: rule["id"]?.text, reason: "TARGETING_MATCH")
            }
            hasNoLocale = true
        }
        if let serve = source["default"]?["serve"] {
            if serve.text == "none" { return Answer(reason: "DEFAULT") }
            if let message = message(serve, request) { return Answer(message: message, reason: "DEFAULT") }
            hasNoLocale = true
        }
        return Answer(reason: hasNoLocale ? "NO_LOCALE" : "NONE")
    }

    private func matches(_ rule: JSONNode, _ request: DecisionRequest) -> Bool {
        if case .boolean(false)? = rule["enabled"] { return false }
        if let from = rule["window"]?["from"]?.text, request.nowMilliseconds < date(from) { return false }
        if let to = rule["window"]?["to"]?.text, request.nowMilliseconds >= date(to) { return false }
        return rule["when"].map { isTrue($0, request) } ?? true
    }

    private func isTrue(_ condition: JSONNode, _ request: DecisionRequest) -> Bool {
        if let children = condition["all"] { return children.elements.allSatisfy { isTrue($0, request) } }
        if let children = condition["any"] { return children.elements.contains { isTrue($0, request) } }
        if let child = condition["not"] { return !isTrue(child, request) }
        let fact = condition["fact"]?.text ?? ""
        func same(_ operand: JSONNode) -> Bool {
            guard let text = operand.text else { return false }
            return fact == "now" ? date(text) == request.nowMilliseconds : text == self.fact(fact, request)
        }
        if let operand = condition["eq"] { return same(operand) }
        if let operand = condition["ne"] { return !same(operand) }
        if let list = condition["in"] { return list.elements.contains(where: same) }
        if let list = condition["notIn"] { return !list.elements.contains(where: same) }
        return self.fact(fact, request).hasPrefix(condition["prefix"]?.text ?? "")
    }

    private func fact(_ name: String, _ request: DecisionRequest) -> String {
        switch name {
        case "productId": request.productId
        case "userLocale": request.userLocale
        case "language":
            request.userLocale.split(separator: "-", omittingEmptySubsequences: false).first.map(String.init)
                ?? ""
        case "environment": request.environment.rawValue
        default: request.originalTransactionId
        }
    }

    private func message(_ serve: JSONNode, _ request: DecisionRequest) -> String? {
        guard let name = serve["message"]?.text, let identifiers = source["messages"]?[name]?["ids"] else {
            return nil
        }
        var locale = request.userLocale
        if let found = identifiers[locale]?.text { return found }
        while let next = source["locales"]?["fallback"]?[locale]?.text {
            locale = next
            if let found = identifiers[locale]?.text { return found }
        }
        return source["locales"]?["last"]?.text.flatMap { identifiers[$0]?.text }
    }

    private func date(_ text: String) -> Int64 {
        CivilTime(text)?.milliseconds ?? 0
    }
}

extension JSONNode {
    subscript(name: String) -> JSONNode? {
        if case .object(let members) = self { members.first { $0.0 == name }?.1 } else { nil }
    }

    var elements: [JSONNode] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
