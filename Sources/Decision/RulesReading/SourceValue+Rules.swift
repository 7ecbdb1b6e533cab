package import JSON
internal import Vocabulary

/// Checks that only the rules language needs, in addition to those for every JSON text.
extension SourceValue {
    /// Reports an error about this value. The hint is computed only for a finding that is listed.
    package func report(_ reason: RulesReason, _ message: String, hint: @autoclosure () -> String? = nil) {
        findings.add(reason, message, at: path, hint: hint())
    }

    /// Reports an error about the key of this value.
    package func reportKey(_ reason: RulesReason, _ message: String, hint: @autoclosure () -> String? = nil) {
        findings.add(reason, message, at: path, isKey: true, hint: hint())
    }

    /// Reports every key of this object that the language does not have there.
    package func checkKeys(
        _ keys: Keys, knowing others: [String] = [], meaning: (String) -> String? = { _ in nil }
    ) {
        checkKeys(keys.names, knowing: others, meaning: meaning)
    }

    /// Returns a string that is neither empty nor longer than `limitBytes`. Reports any other value and returns nil.
    package func string(limitBytes: Int) -> String? {
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

    /// The date in milliseconds since 1970. Any other value is reported and gives nil.
    package var date: Int64? {
        guard let text = string else { return nil }
        guard let time = CivilTime(text), text.utf8.last == UInt8(ascii: "Z") else {
            report(.badDate, "not a date", hint: "RFC 3339 in UTC, as 2026-11-21T00:00:00Z")
            return nil
        }
        return time.milliseconds
    }

    /// Checks the id of a rule or the name of a message. Both are written into log lines and the names of counters.
    package func checkName(_ name: String, isKey: Bool) -> Bool {
        let isAllowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isAllowed, !name.isEmpty, name.utf8.count <= RulesSourceLimits.nameByteCount else {
            findings.add(
                .badName, "not a name", at: path, isKey: isKey,
                hint: "1 to \(RulesSourceLimits.nameByteCount) of A-Z, a-z, 0-9, _, - and .")
            return false
        }
        return true
    }

    /// Returns the elements, or nil when the value is not an array or has more than `limit` elements. Reports both errors.
    package func elements(limit: Int) -> [SourceValue]? {
        guard let elements else { return nil }
        guard elements.count <= limit else {
            report(.tooMany, "\(elements.count) elements, more than the limit of \(limit)")
            return nil
        }
        return elements
    }

    /// Returns the members of an object whose names the author chooses. Returns nil when the value is not an object or
    /// has more than `limit` members.
    package func members(limit: Int) -> [(name: String, value: SourceValue)]? {
        guard isObject, isWithin(limit) else { return nil }
        return members
    }

    /// Returns the members of an object even when there are more than `limit`, which is reported. Other parts of the
    /// source refer to these names, and those references must not be reported too.
    package func namedMembers(limit: Int) -> [(name: String, value: SourceValue)] {
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
