internal import CommandLineTool
internal import Facts
internal import JSON
internal import Reply
internal import Rules
internal import System

struct ExplanationReport {
    let explanation: Explanation
    let rules: RulesFile
    /// True when the answer has a real signature, false when words are in its place; nil when nothing has to be signed.
    let isSigned: Bool?
    let answer: Answer

    private var decision: Decision { explanation.decision }

    /// The text: the request, the facts of the subscriber, every step, and the answer in the last line.
    var lines: [String] {
        let request = explanation.request
        var lines = [
            "request: \(request.productId) \(request.userLocale) \(request.originalTransactionId) at "
                + FactText.date(request.nowMilliseconds),
            "facts: \(known)",
        ]
        if explanation.facts.isFound {
            lines += explanation.declaredFacts.map { name, value in "  \(name): \(Self.text(value))" }
        }
        lines += explanation.lines.map { line in
            let indent = String(repeating: "  ", count: line.depth)
            return "\(indent)\(line.step):" + (line.result.isEmpty ? "" : " \(line.result)")
        }
        lines += NamedDecision(decision, in: rules).assignedLines
        if let shadow = NamedDecision(shadowOf: decision, in: rules) {
            // The caps apply to a subscriber who is held out as well.
            let missing = decision.isHeldOut ? "holdout" : "caps"
            lines.append("without \(missing): \(shadow.text)")
            lines += shadow.assignedLines.map { "without \(missing), \($0)" }
        }
        if decision.outcome == .nothing {
            lines.append(
                "what is shown: Apple's own fallback, the message of App Store Connect or the default"
            )
        }
        if let isSigned {
            lines.append(
                isSigned
                    ? "signature: real, made for this answer; the service makes a new one for each request"
                    : "signature: a placeholder; --key shows a real one")
        }
        lines.append("answer: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        return lines
    }

    private var known: String {
        let age = explanation.facts.ageSeconds.map { ", \($0) s old" } ?? ""
        return (explanation.facts.isFound ? "a record" : "no record of the subscriber") + age
    }

    private static func text(_ value: FactValue?) -> String {
        switch value {
        case .date(let milliseconds)?: FactText.date(milliseconds)
        case let value?: String(decoding: FactLiteral.node(value).serialized(), as: UTF8.self)
        case nil: "missing"
        }
    }

    var json: JSONNode {
        let steps = explanation.lines.dropLast().map { line in
            JSONNode.object([
                ("depth", .integer(Int64(line.depth))), ("step", .string(line.step)),
                ("result", .string(line.result)),
                ("details", .object(line.details.map { ($0.name, Self.node($0.value)) })),
            ])
        }
        let facts = explanation.declaredFacts.map { ($0.name, FactLiteral.node($0.value)) }
        var members: [(String, JSONNode)] = [
            ("request", requestNode),
            ("factsFound", .boolean(explanation.facts.isFound)),
            ("factsAgeSeconds", explanation.facts.ageSeconds.map { .integer($0) } ?? .null),
            ("facts", explanation.facts.isFound ? .object(facts) : .null),
            ("steps", .array(steps)),
        ]
        members += NamedDecision(decision, in: rules).members
        members.append(("heldOut", .boolean(decision.isHeldOut)))
        let shadow = NamedDecision(shadowOf: decision, in: rules).map { JSONNode.object($0.members) }
        members.append(("shadow", shadow ?? .null))
        members.append(("signature", JSONNode(isSigned.map { $0 ? "real" : "placeholder" })))
        members.append(("answer", answerNode))
        return .object(members)
    }

    private static func node(_ value: Explanation.Detail.Value) -> JSONNode {
        switch value {
        case .one(let value): FactLiteral.node(value)
        case .texts(let texts): .array(texts.map { .string($0) })
        }
    }

    private var requestNode: JSONNode {
        let request = explanation.request
        return .object([
            ("appAppleId", .integer(request.appAppleId)),
            ("environment", .string(request.environment.rawValue)),
            ("productId", .string(request.productId)),
            ("userLocale", .string(request.userLocale)),
            ("originalTransactionId", .string(request.originalTransactionId)),
            ("now", .string(FactText.date(request.nowMilliseconds))),
        ])
    }

    private var answerNode: JSONNode {
        .object([
            ("status", .integer(Int64(answer.status))),
            ("contentType", .string(answer.contentType)),
            ("body", .string(String(decoding: answer.body, as: UTF8.self))),
        ])
    }
}
