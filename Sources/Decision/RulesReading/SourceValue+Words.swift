package import JSON
internal import Vocabulary

extension SourceValue {
    /// Returns a whole number in `range`. Reports a number outside the range and returns nil.
    package func integer(in range: ClosedRange<Int64>, _ what: String) -> Int64? {
        guard let number = integer else { return nil }
        guard range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
            report(.badNumber, "\(what) is \(bounds)")
            return nil
        }
        return number
    }

    /// The identifier of a product or an offer in an outcome. It may become part of a signed text.
    package var storeIdentifier: String? {
        guard let text = string(limitBytes: RulesSourceLimits.stringByteCount), checkIdentifier(text) else {
            return nil
        }
        return text
    }

    /// Reports an identifier with characters that no identifier can have, and returns false.
    package func checkIdentifier(_ text: String) -> Bool {
        guard StoreIdentifier.isPossible(text) else {
            report(.badName, "a control character or U+2063 in an identifier", hint: "type it anew")
            return false
        }
        return true
    }

    /// The name of a rule, a message or another thing that the author names.
    package var name: String? {
        guard let text = string, checkName(text, isKey: false) else { return nil }
        return text
    }

    /// Checks that `locale`, which is this value or its key, is spelled as devices spell it. Reports it otherwise.
    package func checkLocale(_ locale: String, isKey: Bool = false) -> Bool {
        guard !LocaleSpelling.isCanonical(locale) else { return true }
        let meant = LocaleSpelling.canonical(locale).map { "did you mean \"\($0)\"?" }
        findings.add(
            .badLocale, "\"\(locale.prefix(40))\" is not a locale that a device sends", at: path,
            isKey: isKey, hint: meant ?? "a language and a region, as en-US")
        return false
    }
}
