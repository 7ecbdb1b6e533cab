internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads the values of a fact. The JSON type must fit the fact; nothing is converted.
struct FactValueReader {
    let entry: FactTable.Entry

    /// Reads the operands of an operation; returns nil when they are wrong.
    func operands(_ value: SourceValue, of operation: ConditionOperation) -> [FactValue]? {
        switch operation.operand {
        case .conditions, .segment: nil
        case .value: self.value(value).map { [$0] }
        case .list: values(value)
        case .range: range(value)
        case .flag: value.boolean.map { [.boolean($0)] }
        case .part(let verb): part(value, of: operation, verb).map { [.string($0)] }
        case .days:
            value.integer(in: 0...DataFileLimits.dayCount, "a number of days").map { [.integer($0)] }
        }
    }

    func value(_ value: SourceValue) -> FactValue? {
        switch entry.kind {
        case .boolean: value.boolean.map { .boolean($0) }
        case .integer: value.integer.map { .integer($0) }
        case .date: value.date.map { .date($0) }
        case .string: string(value).map { .string($0) }
        case nil: nil
        }
    }

    /// Reads a list of at least one value. Wrong values are reported and left out. The other values stay, because the
    /// rule is meant for them, whatever the wrong values should have been.
    func values(_ value: SourceValue) -> [FactValue]? {
        guard let elements = value.elements(limit: RulesSourceLimits.listCount) else { return nil }
        guard !elements.isEmpty else {
            value.report(.emptyList, "an empty list")
            return nil
        }
        return elements.compactMap { self.value($0) }
    }

    /// Reads two values, of which the first must not be greater than the second.
    private func range(_ value: SourceValue) -> [FactValue]? {
        guard let elements = value.elements(limit: 2) else { return nil }
        guard elements.count == 2 else {
            value.report(.badRange, "a range has two ends", hint: "[low, high], both of them included")
            return nil
        }
        guard let ends = elements.known({ self.value($0) }) else { return nil }
        guard let low = ends[0].rank, let high = ends[1].rank, low <= high else {
            value.report(.badRange, "the first end is greater than the second")
            return nil
        }
        return ends
    }

    /// Reads a part of a value, such as a prefix. Some possible value must match it; `verb` describes the match for messages.
    private func part(_ value: SourceValue, of operation: ConditionOperation, _ verb: String) -> String? {
        guard let text = value.string(limitBytes: RulesSourceLimits.stringByteCount) else { return nil }
        let isLocale = entry.fact == .userLocale || entry.fact == .language
        if isLocale, text.utf8.contains(UInt8(ascii: "_")) {
            let meant = String(text.map { $0 == "_" ? "-" : $0 })
            value.report(.badLocale, "no locale \(verb) with \"\(text)\"", hint: "did you mean \"\(meant)\"?")
            return nil
        }
        let predicate = Predicate(entry.fact, operation, [.string(text)])
        if let values = entry.values, !values.contains(where: { predicate.isTrue(of: .string($0)) == true }) {
            let hint = Hint.choice(text, among: values)
            value.report(.unknownValue, "no value of \"\(entry.name)\" \(verb) with \"\(text)\"", hint: hint)
            return nil
        }
        return text
    }

    private func string(_ value: SourceValue) -> String? {
        switch entry.fact {
        case .environment: return SourceReader.environment(value)?.rawValue
        case .userLocale:
            guard let text = value.string, value.checkLocale(text) else { return nil }
            return text
        case .language:
            guard let text = value.string else { return nil }
            guard LocaleSpelling.isLanguage(text) else {
                value.report(.badLocale, "not a language", hint: "the part before the first hyphen, as en")
                return nil
            }
            return text
        default: break
        }
        guard let text = value.string(limitBytes: RulesSourceLimits.stringByteCount) else { return nil }
        // The service compares facts byte by byte; Swift's strings compare differently.
        if let values = entry.values, !values.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            let hint = Hint.choice(text, among: values)
            value.report(.unknownValue, "\"\(entry.name)\" is never \"\(text)\"", hint: hint)
            return nil
        }
        return text
    }
}

extension FactValue {
    /// The place of the value in the order of its kind; nil for kinds without an order.
    package var rank: Int64? {
        switch self {
        case .date(let number), .integer(let number): number
        case .string, .boolean: nil
        }
    }
}

extension Sequence {
    /// Returns the results of `read` for all elements, or nil when `read` fails for one of them. All elements are read
    /// even then, so that every error is reported.
    func known<Value>(_ read: (Element) -> Value?) -> [Value]? {
        var values: [Value] = []
        var isWhole = true
        for element in self {
            if let value = read(element) { values.append(value) } else { isWhole = false }
        }
        return isWhole ? values : nil
    }
}
