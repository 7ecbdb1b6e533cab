/// The spelling of locales: `en-US`, `es-419`, `zh-Hans`. Devices send only this spelling, and locales are compared
/// byte by byte, so another spelling would never match.
public enum LocaleSpelling {
    /// Returns true when a locale is spelled as devices spell it.
    public static func isCanonical(_ text: String) -> Bool {
        canonical(text) == text
    }

    /// Returns true when a language, the first part of a locale, is spelled as devices spell it.
    public static func isLanguage(_ text: String) -> Bool {
        isCanonical(text) && !text.utf8.contains(UInt8(ascii: "-"))
    }

    /// Returns the spelling that the author probably meant, or nil when the text is not a locale in any spelling.
    public static func canonical(_ text: String) -> String? {
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
