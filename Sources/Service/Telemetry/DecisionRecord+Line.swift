internal import Vocabulary

extension DecisionRecord {
    /// One line of NDJSON, line feed included: always the same members in the same order, null for what there is not;
    /// `shadow` only where there is one.
    public var line: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(640)
        let time = CivilTime(milliseconds: timeMilliseconds)
        line += "{\"time\":\"\(time.millisecondDescription)\"".utf8
        line += ",\"requestIdentifier\":\"\(requestIdentifier)\"".utf8
        Self.append("subscriber", subscriber, to: &line)
        line += ",\"app\":\(appAppleId),\"environment\":\"\(environment.rawValue)\"".utf8
        Self.append("product", productId, to: &line)
        Self.append("locale", userLocale, to: &line)
        Self.append("rule", rule, to: &line)
        Self.append("arm", arm, to: &line)
        Self.append("reason", reason, to: &line)
        if let shadow { shadow.append(to: &line) }
        append(served, to: &line)
        line += ",\"generation\":\(generation)".utf8
        line +=
            ",\"verifyMicroseconds\":\(verifyMicroseconds),\"totalMicroseconds\":\(totalMicroseconds)}\n".utf8
        return line
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
        line.append(UInt8(ascii: "}"))
    }
}
