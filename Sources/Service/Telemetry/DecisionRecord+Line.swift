internal import Vocabulary

extension DecisionRecord {
    /// The record as one line of NDJSON, line feed included. The members and their order are always the same, and an
    /// absent value is null. Only `shadow` may be missing, and `assigned` in it is there only for a subscriber who is
    /// held out.
    public var line: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(768)
        line += "{\"time\":\"\(LogText.time(timeMilliseconds))\"".utf8
        line += ",\"signedDate\":\"\(LogText.time(signedDateMilliseconds))\"".utf8
        line += ",\"instance\":\"\(instance)\",\"sequence\":\(sequence)".utf8
        line += ",\"requestIdentifier\":\"\(requestIdentifier)\"".utf8
        Self.append("subscriber", subscriber, to: &line)
        line += ",\"app\":\(appAppleId),\"environment\":\"\(environment.rawValue)\"".utf8
        Self.append("product", productId, to: &line)
        Self.append("locale", userLocale, to: &line)
        Self.append("rule", rule, to: &line)
        Self.append("arm", arm, to: &line)
        Self.append("reason", reason, to: &line)
        Self.append(assigned, to: &line)
        if let shadow { shadow.append(to: &line) }
        append(served, to: &line)
        line += ",\"generation\":\(generation)".utf8
        line +=
            ",\"verifyMicroseconds\":\(verifyMicroseconds),\"totalMicroseconds\":\(totalMicroseconds)}\n".utf8
        return line
    }

    /// Returns the line. When it is longer than `limit`, drops entries from the end of `shadow.assigned` and then of
    /// `assigned` until it fits: the record matters more than a complete list of draws. Returns a line longer than
    /// `limit` when even that is not enough.
    func line(limitBytes limit: Int) -> [UInt8] {
        var record = self
        while true {
            let line = record.line
            guard line.count > limit else { return line }
            if record.shadow?.assigned?.popLast() == nil, record.assigned.popLast() == nil { return line }
        }
    }

    fileprivate static func append(_ assigned: [Assigned], to line: inout [UInt8]) {
        line += ",\"assigned\":[".utf8
        for (index, draw) in assigned.enumerated() {
            line += (index == 0 ? "{\"rule\":" : ",{\"rule\":").utf8
            if let rule = draw.rule {
                LogText.appendQuoted(rule, to: &line)
            } else {
                line += "null".utf8
            }
            append("arm", draw.arm, to: &line)
            append("step", draw.step, to: &line)
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "]"))
    }

    private func append(_ served: Served?, to line: inout [UInt8]) {
        guard let served else {
            line += ",\"served\":null".utf8
            return
        }
        line += ",\"served\":{\"messageIdentifier\":\"\(served.messageIdentifier)\"".utf8
        Self.append("offerIdentifier", served.offerIdentifier, to: &line)
        Self.append("kind", served.kind, to: &line)
        Self.append("message", served.message, to: &line)
        Self.append("locale", served.locale, to: &line)
        line.append(UInt8(ascii: "}"))
    }

    fileprivate static func append(_ name: StaticString, _ value: String?, to line: inout [UInt8]) {
        line += ",\"\(name)\":".utf8
        if let value { LogText.appendQuoted(value, to: &line) } else { line += "null".utf8 }
    }
}

extension DecisionRecord.Shadow {
    fileprivate func append(to line: inout [UInt8]) {
        line += ",\"shadow\":{\"reason\":".utf8
        LogText.appendQuoted(reason, to: &line)
        DecisionRecord.append("rule", rule, to: &line)
        DecisionRecord.append("arm", arm, to: &line)
        DecisionRecord.append("message", message, to: &line)
        if let assigned { DecisionRecord.append(assigned, to: &line) }
        line.append(UInt8(ascii: "}"))
    }
}
