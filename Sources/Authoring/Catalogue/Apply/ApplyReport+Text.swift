public import JSON
internal import Vocabulary

extension CataloguePlan.Step {
    /// The step in a few words.
    public var title: String {
        switch self {
        case .uploadImage(let image): "image \(image.names.first ?? "")"
        case .uploadMessage(let message): "message \(message.name) \(message.locale)"
        case .waitForApproval: "wait for approval"
        case .setDefault(let change): "default \(change.place.product) \(change.place.locale)"
        case .setURL: "url"
        }
    }
}

extension CataloguePlan {
    /// The number of steps that change something at Apple.
    public var changeCount: Int {
        steps.count { if case .waitForApproval = $0 { false } else { true } }
    }
}

extension ApplyReport {
    /// The greatest number of steps that are listed one by one in a text for people.
    private static let shownCount = 20

    /// The report as lines for a terminal.
    public var text: [String] {
        var text = ["Done: \(CountText.of(done.count, "step"))."]
        text += refused.map { "  ! \($0.step.title): \($0.code): \($0.message)" }
        text += Self.list(held, "Not done, because they need what was refused")
        text += Self.list(
            waiting, "Not done yet, because Apple has not approved what they need; run apply again later")
        text += Self.list(notReached, "Not begun; run apply again")
        return text
    }

    private static func list(_ steps: [CataloguePlan.Step], _ title: String) -> [String] {
        guard !steps.isEmpty else { return [] }
        let rest = steps.count - shownCount
        return ["\(title): \(CountText.of(steps.count, "step"))."]
            + steps.prefix(shownCount).map { "  . \($0.title)" }
            + (rest > 0 ? ["  and \(rest) more"] : [])
    }

    /// The report as a JSON object.
    public var json: JSONNode {
        .object([
            ("done", .array(done.map(\.json))),
            (
                "refused",
                .array(
                    refused.map { refusal in
                        .object([
                            ("step", refusal.step.json), ("code", .string(refusal.code)),
                            ("message", .string(refusal.message)),
                        ])
                    }
                )
            ),
            ("held", .array(held.map(\.json))), ("waiting", .array(waiting.map(\.json))),
            ("notReached", .array(notReached.map(\.json))),
            ("failure", failure.map(\.json) ?? .null),
        ])
    }
}

extension ApplyFailure {
    /// The error as a JSON object.
    var json: JSONNode { .object([("code", .string(code)), ("message", .string(description))]) }
}
