internal import JSON

/// The spelling of locales: `en-US`, `es-419`, `zh-Hans`. Devices send only this spelling, and locales are compared
/// byte by byte, so another spelling would never match.
enum LocaleSpelling {
    /// Returns true when a locale is spelled as devices spell it.
    static func isCanonical(_ text: String) -> Bool {
        canonical(text) == text
    }

    /// Returns true when a language, the first part of a locale, is spelled as devices spell it.
    static func isLanguage(_ text: String) -> Bool {
        isCanonical(text) && !text.utf8.contains(UInt8(ascii: "-"))
    }

    /// Returns the spelling that the author probably meant, or nil when the text is not a locale in any spelling.
    static func canonical(_ text: String) -> String? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.map(String.init)
        guard let language = parts.first, (2...3).contains(language.utf8.count), isLetters(language),
            text.utf8.count <= 35
        else { return nil }
        var result = [language.lowercased()]
        for part in parts.dropFirst() {
            guard (2...8).contains(part.utf8.count), isLettersOrDigits(part) else { return nil }
            switch part.utf8.count {
            case 2 where isLetters(part): result.append(part.uppercased())
            case 4 where isLetters(part):
                result.append(part.prefix(1).uppercased() + part.dropFirst().lowercased())
            default: result.append(part)
            }
        }
        return result.joined(separator: "-")
    }

    private static func isLetters(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    }

    private static func isLettersOrDigits(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
    }
}

extension SourceValue {
    /// Checks that `locale`, which is this value or its key, is spelled as devices spell it. Reports it otherwise.
    func checkLocale(_ locale: String, isKey: Bool = false) -> Bool {
        guard !LocaleSpelling.isCanonical(locale) else { return true }
        let meant = LocaleSpelling.canonical(locale).map { "did you mean \"\($0)\"?" }
        findings.add(
            .badLocale,
            "\"\(locale.prefix(40))\" is no locale that a device sends",
            at: path,
            isKey: isKey,
            hint: meant ?? "a language and a region, as en-US"
        )
        return false
    }
}
