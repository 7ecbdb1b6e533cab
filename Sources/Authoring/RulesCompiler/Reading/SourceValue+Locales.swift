internal import JSON
internal import Vocabulary

extension SourceValue {
    /// Checks that `locale`, which is this value or its key, is spelled as devices spell it. Reports it otherwise.
    func checkLocale(_ locale: String, isKey: Bool = false) -> Bool {
        guard !LocaleSpelling.isCanonical(locale) else { return true }
        let meant = LocaleSpelling.canonical(locale).map { "did you mean \"\($0)\"?" }
        findings.add(
            .badLocale,
            "\"\(locale.prefix(40))\" is not a locale that a device sends",
            at: path,
            isKey: isKey,
            hint: meant ?? "a language and a region, as en-US"
        )
        return false
    }
}
