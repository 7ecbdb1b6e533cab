internal import Vocabulary

extension DecisionRecord {
    /// The record as one line of NDJSON, line feed included. The members and their order are always the same, and an
    /// absent value is null. Only `shadow` may be missing, and `assigned` in it is there only for a subscriber who is
    /// held out.
    public var line: [UInt8] {
        var line = TextBuffer()
        append(to: &line, allDraws)
        return line.bytes
    }

    /// How many of the draws are written, from the first on.
    private typealias DrawCounts = (shadow: Int, decision: Int)

    private var allDraws: DrawCounts { (shadow?.assigned?.count ?? 0, assigned.count) }

    /// Appends the line. When it is longer than `limit`, drops entries from the end of `shadow.assigned` and then of
    /// `assigned` until it fits: the record matters more than a complete list of draws. Appends a line longer than
    /// `limit` when even that is not enough.
    func append(to text: inout TextBuffer, limitBytes limit: Int) {
        let start = text.count
        var draws = allDraws
        append(to: &text, draws)
        while text.count - start > limit, draws.shadow + draws.decision > 0 {
            if draws.shadow > 0 { draws.shadow -= 1 } else { draws.decision -= 1 }
            text.cut(to: start)
            append(to: &text, draws)
        }
    }

    private func append(to line: inout TextBuffer, _ draws: DrawCounts) {
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
        Self.append(assigned.prefix(draws.decision), to: &line)
        shadow?.append(to: &line, drawCount: draws.shadow)
        line.append(",\"served\":")
        if let served { served.append(to: &line) } else { line.append("null") }
        line.append(",\"generation\":", generation)
        line.append(",\"verifyMicroseconds\":", verifyMicroseconds)
        line.append(",\"totalMicroseconds\":", totalMicroseconds)
        line.append("}\n")
    }

    fileprivate static func append(_ assigned: ArraySlice<Assigned>, to line: inout TextBuffer) {
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
    fileprivate func append(to line: inout TextBuffer, drawCount: Int) {
        line.append(",\"shadow\":{\"reason\":", reason)
        line.append(",\"rule\":", rule)
        line.append(",\"arm\":", arm)
        line.append(",\"message\":", message)
        if let assigned {
            line.append(",\"assigned\":")
            DecisionRecord.append(assigned.prefix(drawCount), to: &line)
        }
        line.append(UInt8(ascii: "}"))
    }
}
