public import DataFiles

/// A locale of a message that Apple has not approved, and the consequence for its subscribers until then.
public struct PendingLocale: Sendable, Hashable {
    public let message: String
    /// The locale that Apple has not approved.
    public let locale: String
    /// The locale whose identifier is served instead; nil when the rule fails.
    public let standIn: String?
    /// True when the rule fails because the message says `"whenUnapproved": "pass"`.
    public let passes: Bool

    /// The finding's text, such as `"reminder" is not approved in de-DE: until then its subscribers there get en-US`.
    public var text: String {
        let consequence =
            if let standIn {
                "its subscribers there get \(standIn)"
            } else if passes {
                "its rules fail there, as \"whenUnapproved\" says"
            } else {
                "its rules fail there, as no other locale of it stands in"
            }
        return "\"\(message)\" is not approved in \(locale): until then \(consequence)"
    }
}

extension RulesModel {
    /// The locales that wait for Apple's approval, ordered by message.
    public var pendingLocales: [PendingLocale] {
        let steps = Dictionary(localeFallbacks.map { ($0.locale, $0.fallback) }) { first, _ in first }
        return messages.flatMap { message in
            message.identifiers.filter(\.isMasked).map { entry in
                PendingLocale(
                    message: message.name,
                    locale: entry.locale,
                    standIn: message.failsWhenUnapproved
                        ? nil : standIn(for: entry.locale, message, steps),
                    passes: message.failsWhenUnapproved
                )
            }
        }
    }

    /// Returns the first locale after `locale`, along the fallbacks, in which the message has an approved identifier.
    private func standIn(for locale: String, _ message: Message, _ steps: [String: String]) -> String? {
        let approved = Set(message.identifiers.filter { !$0.isMasked }.map(\.locale))
        var next = steps[locale]
        // The loop ends, because the compiler and the loader have refused circles.
        while let current = next {
            if approved.contains(current) { return current }
            next = steps[current]
        }
        return lastLocale.flatMap { approved.contains($0) ? $0 : nil }
    }
}
