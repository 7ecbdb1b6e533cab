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
        line.append("{\"time\":\"", timeMilliseconds: timeMilliseconds)
        line.append("\",\"signedDate\":\"", timeMilliseconds: signedDateMilliseconds)
        line.append("\",\"instance\":\"", plain: instance)
        line.append("\",\"sequence\":", sequence)
        line.append(",\"requestIdentifier\":\"")
        line.append(requestIdentifier)
        line.append("\",\"subscriber\":", subscriber)
        line.append(",\"app\":", appAppleId)
        line.append(",\"environment\":\"", plain: environment.rawValue)
        line.append("\",\"product\":", productId)
        line.append(",\"locale\":", userLocale)
        line.append(",\"rule\":", rule)
        line.append(",\"arm\":", arm)
        line.append(",\"reason\":", reason)
        line.append(",\"assigned\":")
        Self.append(assigned, to: &line)
        shadow?.append(to: &line)
        line.append(",\"served\":")
        if let served { served.append(to: &line) } else { line.append("null") }
        line.append(",\"generation\":", generation)
        line.append(",\"verifyMicroseconds\":", verifyMicroseconds)
        line.append(",\"totalMicroseconds\":", totalMicroseconds)
        line.append("}\n")
    }

    fileprivate static func append(_ assigned: [Assigned], to line: inout TextBuffer) {
        line.append(UInt8(ascii: "["))
        for (index, draw) in assigned.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            line.append("{\"rule\":", draw.rule)
            line.append(",\"arm\":", draw.arm)
            line.append(",\"step\":", draw.step)
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "]"))
    }
}

extension DecisionRecord.Served {
    fileprivate func append(to line: inout TextBuffer) {
        line.append("{\"messageIdentifier\":\"")
        line.append(messageIdentifier)
        line.append("\",\"offerIdentifier\":", offerIdentifier)
        line.append(",\"kind\":", kind)
        line.append(",\"message\":", message)
        line.append(",\"locale\":", locale)
        line.append(UInt8(ascii: "}"))
    }
}

extension DecisionRecord.Shadow {
    fileprivate func append(to line: inout TextBuffer) {
        line.append(",\"shadow\":{\"reason\":", reason)
        line.append(",\"rule\":", rule)
        line.append(",\"arm\":", arm)
        line.append(",\"message\":", message)
        if let assigned {
            line.append(",\"assigned\":")
            DecisionRecord.append(assigned, to: &line)
        }
        line.append(UInt8(ascii: "}"))
    }
}
