internal import JSON

/// The first decision about a subscriber of those with the same rules file and the same draws. Later ones say nothing new: an
/// experiment counts a subscriber once, at the first draw.
package struct StoredDecision: Sendable, Hashable {
    /// Pseudonym, 32 hexadecimal digits.
    package let subscriber: String
    /// `signedDate` of the request, milliseconds since 1970-01-01 UTC.
    package let signedAt: Int64
    package let requestIdentifier: String
    /// The rules file, by its SHA-256.
    package let digest: String
    package let draws: DecisionDraws
    package let product: String
    /// The kind of answer: `none`, `message`, `switch`, `offer`, `advancedCommerce`.
    package let served: String
}

/// What was drawn for a request, as its decision record says.
package struct DecisionDraws: Sendable, Hashable {
    package struct Draw: Sendable, Hashable {
        package let rule: String
        package let arm: String?
        /// The step that failed; nil: the rule served.
        package let step: String?

        package init(rule: String, arm: String?, step: String?) {
            (self.rule, self.arm, self.step) = (rule, arm, step)
        }
    }

    package let isHeldOut: Bool
    /// False when the switch of the rules file was off for everybody (`KILL_SWITCH`): then nothing was drawn.
    package let isDrawn: Bool
    /// In the order of the rules. A rule that served without a draw is not among them.
    package let rules: [Draw]

    package init(isHeldOut: Bool, isDrawn: Bool, rules: [Draw]) {
        (self.isHeldOut, self.isDrawn, self.rules) = (isHeldOut, isDrawn, rules)
    }
}

extension DecisionDraws {
    /// JSON of the table: `["treated",["annual_upsell","switch",null]]`.
    var text: String {
        let draws = rules.map { JSONNode.array([.string($0.rule), Self.node($0.arm), Self.node($0.step)]) }
        let state = !isDrawn ? "notDrawn" : isHeldOut ? "heldOut" : "treated"
        return String(decoding: JSONNode.array([.string(state)] + draws).serialized(), as: UTF8.self)
    }

    private static func node(_ text: String?) -> JSONNode { text.map { .string($0) } ?? .null }

    init?(text: String) {
        let limits = JSONLimits(byteCount: 64 << 10, depth: 2)
        guard let document = try? JSONDocument(parsing: text.utf8Span.span, limits: limits),
            let state = document.root.element(at: 0)?.string
        else { return nil }
        var rules: [Draw] = []
        for draw in document.root.elements.dropFirst() {
            guard let rule = draw.element(at: 0)?.string else { return nil }
            rules.append(
                Draw(rule: rule, arm: draw.element(at: 1)?.string, step: draw.element(at: 2)?.string))
        }
        self.init(isHeldOut: state == "heldOut", isDrawn: state != "notDrawn", rules: rules)
    }
}
