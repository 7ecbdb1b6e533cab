internal import Cryptography
internal import DataFiles
internal import Decisions
internal import System
internal import Telemetry
internal import Vocabulary

/// The line of one decision record: NDJSON for a person or a program that counts and compares decisions. It holds no
/// subscriber's identifier, no payload and no token.
///
/// The members and their order are always the same, and an absent value is null. Only `shadow` may be missing, and
/// `assigned` in it is there only for a subscriber who is held out.
extension DecisionRecordWriter {
    /// Appends the line. When it is longer than a line of the log may be, drops the last of the assigned draws until it
    /// fits: the record matters more than a complete list of draws. Appends a line that is too long when even that is not
    /// enough.
    func append(
        _ noted: NotedDecision,
        of message: Span<UInt8>,
        _ rules: RulesFile,
        to line: inout TextBuffer
    ) {
        let start = line.count
        var drawCount = noted.drawCount
        while true {
            appendRequest(noted, message, to: &line)
            line.appendDecision(noted, message, drawCount, rules)
            line.appendServed(noted, message, rules)
            line.append(",\"generation\":", rules.header.generation)
            line.append(",\"verifyMicroseconds\":", noted.verifyMicroseconds)
            line.append(",\"totalMicroseconds\":", noted.totalMicroseconds)
            line.append("}\n")
            guard line.count - start > LineOutput.lineBytes, drawCount > 0 else { return }
            drawCount -= 1
            line.cut(to: start)
        }
    }

    /// Appends the members that tell of the request.
    private func appendRequest(_ noted: NotedDecision, _ message: Span<UInt8>, to line: inout TextBuffer) {
        line.append("{\"time\":\"", timeMilliseconds: noted.timeMilliseconds)
        line.append("\",\"signedDate\":\"", timeMilliseconds: noted.signedDateMilliseconds)
        line.append("\",\"instance\":\"", plain: instance)
        line.append("\",\"sequence\":", noted.sequence)
        line.append(",\"requestIdentifier\":\"")
        line.append(noted.requestIdentifier)
        line.append("\",\"subscriber\":\"")
        // Where libcrypto fails there is no pseudonym; the record is useful without it.
        try? pseudonyms.append(pseudonymOf: message.extracting(noted.originalTransactionId), to: &line)
        line.append("\",\"app\":", noted.appAppleId)
        line.append(",\"environment\":\"", plain: noted.environment?.rawValue ?? "")
        line.append("\",\"product\":", text: message.extracting(noted.productId))
        line.append(",\"locale\":", text: message.extracting(noted.userLocale))
    }
}

extension TextBuffer {
    /// Appends the members that tell what was decided and why, with the first `drawCount` of the assigned draws.
    fileprivate mutating func appendDecision(
        _ noted: NotedDecision,
        _ message: Span<UInt8>,
        _ drawCount: Int,
        _ rules: RulesFile
    ) {
        append(rule: noted.rule, arm: noted.arm, after: ",\"rule\":", rules)
        append(",\"reason\":\"", plain: noted.reason?.rawValue ?? "")
        append("\",\"assigned\":[")
        // For a subscriber who is held out, everything was drawn in the shadow decision.
        if !noted.isHeldOut { appendDraws(noted, message, drawCount, rules) }
        append(UInt8(ascii: "]"))
        guard let reason = noted.shadowReason else { return }
        append(",\"shadow\":{\"reason\":\"", plain: reason.rawValue)
        append(rule: noted.shadowRule, arm: noted.shadowArm, after: "\",\"rule\":", rules)
        append(",\"message\":", noted.shadowMessage.map { .message($0) }, rules)
        if noted.isHeldOut {
            append(",\"assigned\":[")
            appendDraws(noted, message, drawCount, rules)
            append(UInt8(ascii: "]"))
        }
        append(UInt8(ascii: "}"))
    }

    /// Appends what was served.
    fileprivate mutating func appendServed(_ noted: NotedDecision, _ message: Span<UInt8>, _ rules: RulesFile)
    {
        guard let kind = noted.servedKind else { return append(",\"served\":null") }
        append(",\"served\":{\"messageIdentifier\":\"")
        append(noted.messageIdentifier)
        if let offer = noted.offerIdentifier {
            append("\",\"offerIdentifier\":", text: message.extracting(offer))
        } else {
            append("\",\"offerIdentifier\":null")
        }
        append(",\"kind\":\"", plain: kind.name)
        append("\",\"message\":", noted.message.map { .message($0) }, rules)
        append(",\"locale\":", noted.locale.isNone ? nil : .string(noted.locale), rules)
        append(UInt8(ascii: "}"))
    }

    /// Appends the rules that were drawn and could not be served, in the order of the rules.
    private mutating func appendDraws(
        _ noted: NotedDecision,
        _ message: Span<UInt8>,
        _ drawCount: Int,
        _ rules: RulesFile
    ) {
        for index in 0..<drawCount {
            guard let draw = noted.draw(at: index, of: message) else { return }
            if index > 0 { append(UInt8(ascii: ",")) }
            append(rule: draw.rule, arm: draw.arm, after: "{\"rule\":", rules)
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

    /// Appends a literal and behind it a text in quotes, with the escapes that it needs.
    fileprivate mutating func append(_ literal: StaticString, text: Span<UInt8>) {
        append(literal)
        append(UInt8(ascii: "\""))
        let start = count
        append(text)
        escape(from: start)
        append(UInt8(ascii: "\""))
    }
}
