public enum Spelling {
    /// Returns the name nearest to `word`, or nil when no name is near. A name is near when it differs from `word` in case,
    /// `_` and `-` only, or in at most a third of the characters, or when one is the beginning of the other (`offerId`).
    public static func nearest(to word: String, among names: [String]) -> String? {
        let plain = simplified(word)
        let limit = plain.count / 3
        func isBeginning(_ one: [UInt8], of other: [UInt8]) -> Bool {
            one.count >= 4 && other.starts(with: one)
        }
        return names.map { (name: $0, plain: simplified($0)) }
            .map { (name: $0.name, plain: $0.plain, distance: distance(plain, $0.plain)) }
            .filter {
                $0.distance <= limit || isBeginning(plain, of: $0.plain) || isBeginning($0.plain, of: plain)
            }
            .min { one, other in
                // "offerId" is meant to be "offerIdentifier", not "offer".
                let (isCut, isOtherCut) = (
                    isBeginning(plain, of: one.plain), isBeginning(plain, of: other.plain)
                )
                return isCut == isOtherCut ? one.distance < other.distance : isCut
            }?.name
    }

    private static func simplified(_ word: String) -> [UInt8] {
        word.lowercased().utf8.prefix(64).filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let changed = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}

public enum Hint {
    public static func near(_ word: String, among names: [String]) -> String? {
        Spelling.nearest(to: word, among: names).map { "did you mean \"\($0)\"?" }
    }

    public static func choice(_ word: String, among names: [String]) -> String {
        near(word, among: names) ?? "one of " + names.joined(separator: ", ")
    }
}

/// The spelling of locales: `en-US`, `es-419`, `zh-Hans`. Devices send only this spelling, and locales are compared
/// byte by byte, so another spelling would never match.
public enum LocaleSpelling {
    public static func isCanonical(_ text: String) -> Bool {
        canonical(text) == text
    }

    public static func isLanguage(_ text: String) -> Bool {
        isCanonical(text) && !text.utf8.contains(UInt8(ascii: "-"))
    }

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
