internal import JSON
package import Rules
package import System

extension Lint {
    /// Returns the findings about Apple's approval for compiled rules, with their places in the source: locales of messages, and
    /// embedded tests that pass only after Apple has approved the messages that they expect.
    /// ``RulesCompiler/failedTests(of:source:path:)`` does not return these tests.
    package static func awaitingApproval(in rules: ResolvedRules, source: [UInt8]) -> [Finding] {
        let findings = collector(for: source)
        reportPending(rules, source, findings)
        return findings.sorted
    }

    static func reportPending(_ rules: ResolvedRules, _ source: [UInt8], _ findings: Findings) {
        let pending = rules.model.pendingLocales
        guard !pending.isEmpty else { return }
        let places = MessagePlaces(rules.model, source: source)
        for locale in pending {
            findings.add(.pendingLocale, locale.text, at: places.path(of: locale.message, locale.locale))
        }
        for test in EmbeddedTests.run(rules.model, rules.file) where test.awaitsApproval {
            let differences = test.differences.map(\.description).joined(separator: "; ")
            findings.add(
                .testAwaitsApproval,
                "the test \"\(test.name)\" passes once Apple has approved what it expects: \(differences)",
                at: [.member("tests"), .index(test.index), .member("expect")])
        }
    }
}

/// A locale of a message that Apple has not approved, and the consequence for its subscribers until then.
package struct PendingLocale: Sendable, Hashable {
    package let message: String
    /// The locale that Apple has not approved.
    package let locale: String
    /// The locale whose identifier is served instead; nil when the rule fails.
    package let standIn: String?
    /// True when the rule fails because the message says `"whenUnapproved": "pass"`.
    package let passes: Bool

    /// The finding's text, such as `"reminder" is not approved in de-DE: until then its subscribers there get en-US`.
    package var text: String {
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
    package var pendingLocales: [PendingLocale] {
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

/// Finds the place in a source that a finding about a message names: its entry in `messages`, or the first outcome that serves
/// it when it comes from a catalogue.
struct MessagePlaces {
    private let declared: Set<String>
    private let uses: [String: JSONPath]

    init(_ model: RulesModel, source: [UInt8]) {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        let document = try? JSONDocument(parsing: source.withoutByteOrderMark.span, limits: limits)
        declared = Set(document?.root.member("messages")?.members.map(\.name) ?? [])
        let places = model.placedOutcomes.compactMap { outcome, path, _ in
            outcome.message.map { (model.messages[$0].name, path) }
        }
        uses = Dictionary(places) { first, _ in first }
    }

    func path(of message: String) -> JSONPath {
        declared.contains(message) ? [.member("messages"), .member(message)] : uses[message] ?? []
    }

    func path(of message: String, _ locale: String) -> JSONPath {
        declared.contains(message)
            ? [.member("messages"), .member(message), .member("ids"), .member(locale)] : uses[message] ?? []
    }

    /// Returns true when the path leads to a key, so that a finding can name it.
    func isKey(_ message: String) -> Bool { declared.contains(message) }
}
