internal import JSON
internal import Vocabulary

/// What the rules language asks of values, beside what every text is asked.
extension SourceValue {
    /// Reports this value. The hint is worked out only for a finding that is listed.
    func report(
        _ reason: RulesReason,
        _ message: String,
        hint: @autoclosure () -> String? = nil
    ) {
        findings.add(reason, message, at: path, hint: hint())
    }

    /// Reports the key under which this value stands.
    func reportKey(
        _ reason: RulesReason,
        _ message: String,
        hint: @autoclosure () -> String? = nil
    ) {
        findings.add(reason, message, at: path, isKey: true, hint: hint())
    }

    /// Reports every key of this object that it does not have in this language.
    func checkKeys(_ keys: Keys, knowing others: [String] = [], meaning: (String) -> String? = { _ in nil }) {
        checkKeys(keys.names, knowing: others, meaning: meaning)
    }

    /// A string that is not empty and not too long.
    func string(limitBytes: Int) -> String? {
        guard let text = string else { return nil }
        guard !text.isEmpty else {
            report(.badLength, "an empty string")
            return nil
        }
        guard text.utf8.count <= limitBytes else {
            report(.badLength, "\(text.utf8.count) bytes, more than the limit of \(limitBytes)")
            return nil
        }
        return text
    }

    var uuid: UUID? {
        guard let text = string else { return nil }
        guard let identifier = UUID(text) else {
            report(.badUUID, "not a UUID", hint: "8-4-4-4-12 hexadecimal digits")
            return nil
        }
        return identifier
    }

    /// Milliseconds since 1970.
    var date: Int64? {
        guard let text = string else { return nil }
        guard let time = CivilTime(text), text.utf8.last == UInt8(ascii: "Z") else {
            report(.badDate, "not a date", hint: "RFC 3339 in UTC, as 2026-11-21T00:00:00Z")
            return nil
        }
        return time.milliseconds
    }

    /// The id of a rule or the name of a message: it stands in log lines and in the names of counters.
    func checkName(_ name: String, isKey: Bool) -> Bool {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAllowed, !name.isEmpty, name.utf8.count <= RulesCompilerLimits.nameByteCount else {
            findings.add(
                .badName,
                "not a name",
                at: path,
                isKey: isKey,
                hint: "1 to \(RulesCompilerLimits.nameByteCount) of A-Z, a-z, 0-9, _, - and ."
            )
            return false
        }
        return true
    }

    /// The elements of an array; nil when it is none or has too many.
    func elements(limit: Int) -> [SourceValue]? {
        guard let elements else { return nil }
        guard elements.count <= limit else {
            report(.tooMany, "\(elements.count) elements, more than the limit of \(limit)")
            return nil
        }
        return elements
    }

    /// The members of an object with names of the author's own; nil when it is none or has too many.
    func members(limit: Int) -> [(name: String, value: SourceValue)]? {
        guard isObject, isWithin(limit) else { return nil }
        return members
    }

    /// The members of an object even when they are too many, which is reported: names that others refer to, which are
    /// not wrong as well.
    func namedMembers(limit: Int) -> [(name: String, value: SourceValue)] {
        guard isObject else { return [] }
        _ = isWithin(limit)
        return members
    }

    private func isWithin(_ limit: Int) -> Bool {
        guard value.count > limit else { return true }
        report(.tooMany, "\(value.count) members, more than the limit of \(limit)")
        return false
    }
}
