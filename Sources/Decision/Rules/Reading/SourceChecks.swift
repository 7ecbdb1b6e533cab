public import JSON
public import System

extension SourceValue {
    /// Reports an error about this value. The hint is computed only for a finding that is listed.
    func report(_ reason: RulesReason, _ message: String, hint: @autoclosure () -> String? = nil) {
        findings.add(reason, message, at: path, hint: hint())
    }

    func reportKey(_ reason: RulesReason, _ message: String, hint: @autoclosure () -> String? = nil) {
        findings.add(reason, message, at: path, isKey: true, hint: hint())
    }

    public func checkKeys(
        _ keys: Keys, knowing others: [String] = [], meaning: (String) -> String? = { _ in nil }
    ) {
        checkKeys(keys.names, knowing: others, meaning: meaning, listsFew: true)
    }

    public func string(limitBytes: Int) -> String? {
        guard let text = string else { return nil }
        guard !text.isEmpty else {
            report(.badValue, "an empty string")
            return nil
        }
        guard text.utf8.count <= limitBytes else {
            report(.badValue, "\(text.utf8.count) bytes, more than the limit of \(limitBytes)")
            return nil
        }
        return text
    }

    /// The date in milliseconds since 1970. Any other value is reported and gives nil.
    public var date: Int64? {
        guard let text = string else { return nil }
        guard let time = CivilTime(text), text.utf8.last == UInt8(ascii: "Z") else {
            report(.badValue, "not a date", hint: "RFC 3339 in UTC, as 2026-11-21T00:00:00Z")
            return nil
        }
        return time.milliseconds
    }

    public func checkName(_ name: String, isKey: Bool) -> Bool {
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
                .badValue, "not a name", at: path, isKey: isKey,
                hint: "1 to \(RulesSourceLimits.nameByteCount) of A-Z, a-z, 0-9, _, - and .")
            return false
        }
        return true
    }

    public func elements(limit: Int) -> [SourceValue]? {
        guard let elements else { return nil }
        guard elements.count <= limit else {
            report(.tooMany, "\(elements.count) elements, more than the limit of \(limit)")
            return nil
        }
        return elements
    }

    public var entries: [(name: String, value: SourceValue)] { isObject ? members : [] }

    /// Also those above `limit`, which is reported: references to these names must not be reported too.
    func entries(limit: Int) -> [(name: String, value: SourceValue)] {
        if value.kind == .object, value.count > limit {
            report(.tooMany, "\(value.count) members, more than the limit of \(limit)")
        }
        return entries
    }
}

extension SourceValue {
    public func integer(in range: ClosedRange<Int64>, _ what: String) -> Int64? {
        guard let number = integer else { return nil }
        guard range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            report(.badValue, "\(what) is \(bounds)")
            return nil
        }
        return number
    }

    public func storeIdentifier(limitBytes: Int = RulesSourceLimits.stringByteCount) -> String? {
        guard let text = string(limitBytes: limitBytes), checkIdentifier(text) else { return nil }
        return text
    }

    public func checkIdentifier(_ text: String) -> Bool {
        guard StoreIdentifier.isPossible(text) else {
            report(.badValue, "a control character or U+2063 in an identifier", hint: "type it anew")
            return false
        }
        return true
    }

    public var name: String? {
        guard let text = string, checkName(text, isKey: false) else { return nil }
        return text
    }

    public func checkLocale(
        _ locale: String, isKey: Bool = false, suggesting: (String) -> String = { $0 }
    ) -> Bool {
        guard !LocaleSpelling.isCanonical(locale) else { return true }
        let meant = LocaleSpelling.canonical(locale).map { "did you mean \"\(suggesting($0))\"?" }
        findings.add(
            .badValue, "\"\(locale.prefix(40))\" is not a locale that a device sends", at: path,
            isKey: isKey, hint: meant ?? "a language and a region, as en-US")
        return false
    }
}

public struct Keys: Sendable {
    public let names: [String]

    public init(_ names: [String]) {
        self.names = names
    }

    public static let root = Keys([
        "$schema", "include", "format", "app", "environment", "metadata", "killSwitch", "locales", "products",
        "facts",
        "messages", "unapproved", "segments", "holdout", "caps", "rules", "default", "tests",
    ])
    public static let app = Keys(["appAppleId", "bundleId"])
    public static let locales = Keys(["fallback", "last"])
    public static let product = Keys(["group"])
    public static let message = Keys(["kind", "ids", "whenUnapproved"])
    public static let holdout = Keys(["salt", "unit", "basisPoints", "serve", "until"])
    public static let caps = Keys(["offer"])
    public static let offerCaps = Keys([
        "maxAccepted", "minDaysSinceLast", "acceptedFact", "lastFact", "whenUnknown",
    ])
    public static let rule = Keys(["id", "enabled", "when", "window", "rollout", "serve", "variants"])
    public static let window = Keys(["from", "to"])
    public static let rollout = Keys(["salt", "unit", "basisPoints"])
    public static let variants = Keys(["salt", "unit", "arms"])
    public static let arm = Keys(["name", "weight", "serve"])
    public static let defaultOutcome = Keys(["serve"])
    public static let group = Keys(
        ConditionOperation.allCases.filter { $0.operand == .conditions }.map(\.word))
    public static let operations = Keys(ConditionOperation.predicates.map(\.word))
    public static let predicate = Keys(["fact"] + operations.names)
    public static let condition = Keys(group.names + [ConditionOperation.segment.word] + predicate.names)
    public static let test = Keys(["name", "given", "expect"])
    public static let given = Keys([
        "productId", "userLocale", "originalTransactionId", "now", "facts", "factsAgeSeconds",
    ])
    public static let expect = Keys(["rule", "default", "arm", "message", "serve", "reason"])
}

/// What is wrong with a rules source. The code of a finding is `rules.` and the raw value; its message names the member.
public enum RulesReason: String, FindingReason, CaseIterable {
    case wrongType = "wrong-type"
    case missingKey = "missing-key"
    case unknownKey = "unknown-key"
    case badValue = "bad-value"
    case unknownName = "unknown-name"
    case duplicate
    case wrongKind = "wrong-kind"
    case ambiguous
    case cycle
    case tooMany = "too-many"
    case includesFiles = "includes-files"
    case empty
    case otherApp = "other-app"
    case moreFindings = "more-findings"
}

extension Findings {
    public func add(
        _ reason: RulesReason, _ message: String, at path: JSONPath, isKey: Bool = false,
        hint: @autoclosure () -> String? = nil
    ) {
        add(reason: reason, message, at: path, isKey: isKey, hint: hint())
    }
}
