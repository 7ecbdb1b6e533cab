internal import AppStoreServerAPI
internal import Cryptography
internal import JSON
internal import Rules
internal import System

extension SourceValue {
    func report(_ reason: CatalogueReason, _ message: String, hint: @autoclosure () -> String? = nil) {
        findings.add(reason: reason, message, at: path, hint: hint())
    }

    func reportKey(_ reason: CatalogueReason, _ message: String, hint: @autoclosure () -> String? = nil) {
        findings.add(reason: reason, message, at: path, isKey: true, hint: hint())
    }

    func choice<Value>(of values: [Value], named name: (Value) -> String, _ what: String) -> Value? {
        choice(of: values, named: name, CatalogueReason.badValue) { word in
            "\"\(word.prefix(40))\" is not a \(what)"
        }
    }

    /// The revision, from 1; nil for any other value, which is reported.
    var revision: Int64? {
        guard let number = integer else { return nil }
        guard (1...CatalogueLimits.revision).contains(number) else {
            report(.badValue, "a revision is from 1 to \(CatalogueLimits.revision)")
            return nil
        }
        return number
    }

    func checkItemName(_ name: String) {
        let isAllowed = name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) }
        let limit = CatalogueLimits.nameByteCount
        guard !isAllowed || name.isEmpty || name.utf8.count > limit else { return }
        reportKey(.badValue, "not a name", hint: "1 to \(limit) of a-z, 0-9, _ and -")
    }

    func checkAppStoreLocale(_ locale: String, isKey: Bool = false) -> Bool {
        checkLocale(locale, isKey: isKey) { AppStoreLocales.suggestion(for: $0) ?? $0 }
    }

    /// Reads `identifier`: for each environment, the identifier at Apple and the digest of what was uploaded.
    var pins: [Environment: CataloguePin] {
        guard isObject else { return [:] }
        checkKeys(CatalogueKeys.environments.map(\.rawValue))
        var pins: [Environment: CataloguePin] = [:]
        for environment in CatalogueKeys.environments {
            guard let value = member(environment.rawValue), value.isObject else { continue }
            value.checkKeys(CatalogueKeys.pin)
            let identifier = value.required("id")?.uuid(CatalogueReason.badValue)
            let digest = value.member("digest").map(\.contentVersion)
            guard let identifier else { continue }
            // A wrong digest is reported, and is no open pin.
            if case .some(nil) = digest { continue }
            pins[environment] = CataloguePin(identifier: identifier, contentVersion: digest ?? nil)
        }
        return pins
    }

    private var contentVersion: ContentVersion? {
        guard let text = string else { return nil }
        guard let digest = SHA256Digest(hexadecimal: text) else {
            report(.badValue, "not a digest", hint: "64 hexadecimal digits")
            return nil
        }
        return ContentVersion(digest: digest)
    }
}

enum TextCheck {
    /// Reads a text, and reports one that Apple refuses. Apple does not say in which unit it counts `limit`.
    static func read(_ value: SourceValue, limit: Int) -> String? {
        guard let text = value.string else { return nil }
        guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            value.report(.badValue, "an empty text")
            return text
        }
        checkLength(text, limit, value)
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" }) {
            value.report(.badValue, "a control character")
        }
        return text
    }

    /// Apple's own libraries differ: Swift counts graphemes, Python code points, Java UTF-16 units.
    private static func checkLength(_ text: String, _ limit: Int, _ value: SourceValue) {
        let counts = [text.count, text.unicodeScalars.count, text.utf16.count]
        guard counts.contains(where: { $0 > limit }) else { return }
        let units = "\(counts[0]) graphemes, \(counts[1]) code points, \(counts[2]) UTF-16 units"
        if counts.allSatisfy({ $0 > limit }) {
            value.report(.textTooLong, "\(units): longer than \(limit)", hint: "Apple's limit is \(limit)")
        } else {
            let hint = "Apple does not say in which unit it counts"
            value.report(.lengthUnclear, "\(units): some are more than \(limit)", hint: hint)
        }
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }
}
