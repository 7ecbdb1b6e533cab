internal import Vocabulary

extension DecisionRecord {
    /// The record as one line of NDJSON, line feed included. The members and their order are always the same, and an
    /// absent value is null. Only `shadow` may be missing, and `assigned` in it is there only for a subscriber who is
    /// held out.
    public var line: [UInt8] {
        var line = TextBuffer()
        append(to: &line)
        return line.bytes
    }

    /// Appends the line. When it is longer than `limit`, drops entries from the end of `shadow.assigned` and then of
    /// `assigned` until it fits: the record matters more than a complete list of draws. Appends a line longer than
    /// `limit` when even that is not enough.
    func append(to text: inout TextBuffer, limitBytes limit: Int) {
        let start = text.count
        append(to: &text)
        guard text.count - start > limit else { return }
        var record = self
        while record.shadow?.assigned?.popLast() != nil || record.assigned.popLast() != nil {
            text.cut(to: start)
            record.append(to: &text)
            if text.count - start <= limit { return }
        }
    }

    private func append(to line: inout TextBuffer) {
        line.append("{\"time\":\"")
        LogText.appendTime(timeMilliseconds, to: &line)
        line.append("\",\"signedDate\":\"")
        LogText.appendTime(signedDateMilliseconds, to: &line)
        line.append("\",\"instance\":\"")
        line.append(string: instance)
        line.append("\",\"sequence\":")
        line.append(decimal: sequence)
        line.append(",\"requestIdentifier\":\"")
        line.append(requestIdentifier)
        line.append("\",\"subscriber\":")
        LogText.appendQuoted(subscriber, to: &line)
        line.append(",\"app\":")
        line.append(decimal: appAppleId)
        line.append(",\"environment\":\"")
        line.append(string: environment.rawValue)
        line.append("\",\"product\":")
        LogText.appendQuoted(productId, to: &line)
        line.append(",\"locale\":")
        LogText.appendQuoted(userLocale, to: &line)
        line.append(",\"rule\":")
        Self.append(rule, to: &line)
        line.append(",\"arm\":")
        Self.append(arm, to: &line)
        line.append(",\"reason\":")
        LogText.appendQuoted(reason, to: &line)
        line.append(",\"assigned\":")
        Self.append(assigned, to: &line)
        shadow?.append(to: &line)
        line.append(",\"served\":")
        if let served { served.append(to: &line) } else { line.append("null") }
        line.append(",\"generation\":")
        line.append(decimal: generation)
        line.append(",\"verifyMicroseconds\":")
        line.append(decimal: verifyMicroseconds)
        line.append(",\"totalMicroseconds\":")
        line.append(decimal: totalMicroseconds)
        line.append("}\n")
    }

    fileprivate static func append(_ assigned: [Assigned], to line: inout TextBuffer) {
        line.append(UInt8(ascii: "["))
        for (index, draw) in assigned.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            line.append("{\"rule\":")
            append(draw.rule, to: &line)
            line.append(",\"arm\":")
            append(draw.arm, to: &line)
            line.append(",\"step\":")
            append(draw.step, to: &line)
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "]"))
    }

    fileprivate static func append(_ value: String?, to line: inout TextBuffer) {
        if let value { LogText.appendQuoted(value, to: &line) } else { line.append("null") }
    }
}

extension DecisionRecord.Served {
    fileprivate func append(to line: inout TextBuffer) {
        line.append("{\"messageIdentifier\":\"")
        line.append(messageIdentifier)
        line.append("\",\"offerIdentifier\":")
        DecisionRecord.append(offerIdentifier, to: &line)
        line.append(",\"kind\":")
        LogText.appendQuoted(kind, to: &line)
        line.append(",\"message\":")
        DecisionRecord.append(message, to: &line)
        line.append(",\"locale\":")
        DecisionRecord.append(locale, to: &line)
        line.append(UInt8(ascii: "}"))
    }
}

extension DecisionRecord.Shadow {
    fileprivate func append(to line: inout TextBuffer) {
        line.append(",\"shadow\":{\"reason\":")
        LogText.appendQuoted(reason, to: &line)
        line.append(",\"rule\":")
        DecisionRecord.append(rule, to: &line)
        line.append(",\"arm\":")
        DecisionRecord.append(arm, to: &line)
        line.append(",\"message\":")
        DecisionRecord.append(message, to: &line)
        if let assigned {
            line.append(",\"assigned\":")
            DecisionRecord.append(assigned, to: &line)
        }
        line.append(UInt8(ascii: "}"))
    }
}
