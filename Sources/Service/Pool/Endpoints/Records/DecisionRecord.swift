internal import Cryptography
internal import Facts
internal import Reply
internal import Rules
internal import SignedPayloads
internal import System

/// What one decision record tells: NDJSON for a person or a program that counts and compares decisions. It holds no subscriber's
/// identifier, no payload and no token.
///
/// The members and their order are always the same, and an absent value is null. Only `shadow` may be missing, and
/// `assigned` in it is there only for a subscriber who is held out.
struct DecisionRecord: Sendable {
    /// What is served, without the signatures that are made for one request and never kept.
    struct Served: Sendable {
        let messageIdentifier: UUID
        let kind: OutcomeKind
        let offerIdentifier: String?

        init(_ outcome: SignedOutcome) {
            messageIdentifier = outcome.messageIdentifier
            kind = outcome.kind
            if case .offer(let offer, _) = outcome.content {
                offerIdentifier = offer.offerIdentifier
            } else {
                offerIdentifier = nil
            }
        }
    }

    let decision: Decision
    let served: Served?
    let asked: RealtimeRequest
    let rules: RulesFile
    let nowMilliseconds: Int64
    let timing: RequestTiming
    let sequence: UInt64

    /// Appends the record of the worker `instance` as one line. A nil for `pseudonyms` leaves the subscriber's name empty.
    /// When the record is longer than a line of the log may be, drops the last of the assigned draws until it fits: the record
    /// matters more than a complete list of draws. Appends a line that is too long when even that is not enough.
    func append(instance: String, _ pseudonyms: SubscriberPseudonyms?, to line: inout TextBuffer) {
        let start = line.count
        var drawCount = decision.assigned.count
        while true {
            appendRequest(instance, pseudonyms, to: &line)
            line.append(decision, drawCount, rules)
            line.append(served, of: decision, rules)
            line.append(",\"digest\":\"", plain: rules.digest.hexadecimal)
            line.append("\",\"verifyMicroseconds\":", timing.verifyMicroseconds)
            line.append(",\"totalMicroseconds\":", timing.totalMicroseconds)
            line.append("}\n")
            guard line.count - start > LineOutput.lineBytes, drawCount > 0 else { return }
            drawCount -= 1
            line.cut(to: start)
        }
    }

    private func appendRequest(
        _ instance: String, _ pseudonyms: SubscriberPseudonyms?, to line: inout TextBuffer
    ) {
        line.append("{\"time\":\"", timeMilliseconds: nowMilliseconds)
        line.append("\",\"signedDate\":\"", timeMilliseconds: asked.signedDate)
        line.append("\",\"instance\":\"", plain: instance)
        line.append("\",\"sequence\":", sequence)
        line.append(",\"requestIdentifier\":\"")
        line.append(asked.requestIdentifier)
        line.append("\",\"subscriber\":\"")
        // Where libcrypto fails there is no pseudonym; the record is useful without it.
        try? pseudonyms?.append(pseudonymOf: asked.originalTransactionId.utf8Span.span, to: &line)
        line.append("\",\"app\":", asked.appAppleId)
        line.append(",\"environment\":\"", plain: asked.environment.rawValue)
        line.append("\",\"product\":", asked.productId)
        line.append(",\"locale\":", asked.userLocale)
    }
}

extension TextBuffer {
    /// Appends the members that tell what was decided and why, with the first `drawCount` of the assigned draws.
    fileprivate mutating func append(_ decision: Decision, _ drawCount: Int, _ rules: RulesFile) {
        append(rule: decision.ruleIndex, arm: decision.armIndex, after: ",\"rule\":", rules)
        append(",\"reason\":\"", plain: decision.reason.rawValue)
        append("\",\"assigned\":[")
        // For a subscriber who is held out, everything was drawn in the shadow decision.
        if !decision.isHeldOut { append(decision.assigned, drawCount, rules) }
        append(UInt8(ascii: "]"))
        guard let shadow = decision.shadow else { return }
        append(",\"shadow\":{\"reason\":\"", plain: shadow.reason.rawValue)
        append(rule: shadow.ruleIndex, arm: shadow.armIndex, after: "\",\"rule\":", rules)
        append(",\"message\":", shadow.messageIndex.map { .message($0) }, rules)
        if decision.isHeldOut {
            append(",\"assigned\":[")
            append(decision.assigned, drawCount, rules)
            append(UInt8(ascii: "]"))
        }
        append(UInt8(ascii: "}"))
    }

    fileprivate mutating func append(
        _ served: DecisionRecord.Served?, of decision: Decision, _ rules: RulesFile
    ) {
        guard let served else { return append(",\"served\":null") }
        append(",\"served\":{\"messageIdentifier\":\"")
        append(served.messageIdentifier)
        append("\",\"offerIdentifier\":", served.offerIdentifier)
        append(",\"kind\":\"", plain: served.kind.name)
        append("\",\"message\":", decision.messageIndex.map { .message($0) }, rules)
        append(",\"locale\":", decision.locale.isNone ? nil : .string(decision.locale), rules)
        append(UInt8(ascii: "}"))
    }

    /// Appends the rules that were drawn and could not be served, in the order of the rules.
    private mutating func append(_ draws: [Assignment], _ drawCount: Int, _ rules: RulesFile) {
        for (index, draw) in draws.enumerated().prefix(drawCount) {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(rule: draw.ruleIndex, arm: draw.armIndex, after: "{\"rule\":", rules)
            append(",\"step\":\"", plain: draw.step.rawValue)
            append("\"}")
        }
    }

    private mutating func append(rule: Int?, arm: Int?, after literal: StaticString, _ rules: RulesFile) {
        append(literal, rule.map { .rule($0) }, rules)
        var named: NamedPart?
        if let rule, let arm { named = .arm(arm, ofRule: rule) }
        append(",\"arm\":", named, rules)
    }

    /// Appends a literal and behind it the name of a part of the rules in quotes, or `null` when there is none.
    private mutating func append(_ literal: StaticString, _ part: NamedPart?, _ rules: RulesFile) {
        append(literal)
        let start = count
        append(UInt8(ascii: "\""))
        guard let part, rules.append(nameOf: part, to: &self) else {
            cut(to: start)
            append("null")
            return
        }
        escape(from: start + 1)
        append(UInt8(ascii: "\""))
    }
}
