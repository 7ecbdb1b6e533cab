internal import JSON
package import Rules
package import System

extension Lint {
    /// About locales of messages, and embedded tests that pass only after Apple has approved the messages that they
    /// expect.
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
    package let locale: String
    package let standIn: String?
    /// True when the rule fails because the message says `"whenUnapproved": "pass"`.
    package let passes: Bool

    /// `"reminder" is not approved in de-DE: until then its subscribers there get en-US`
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
    package var pendingLocales: [PendingLocale] {
        let cover = LocaleCover(self)
        return messages.flatMap { message in
            let approved = Set(message.identifiers.filter { !$0.isMasked }.map(\.locale))
            return message.identifiers.filter(\.isMasked).map { entry in
                let standIn = cover.locales(from: entry.locale).first(where: approved.contains)
                return PendingLocale(
                    message: message.name, locale: entry.locale,
                    standIn: message.failsWhenUnapproved ? nil : standIn,
                    passes: message.failsWhenUnapproved)
            }
        }
    }
}

/// Its entry in `messages`, or the first outcome that serves it when it comes from a catalogue.
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

    func isKey(_ message: String) -> Bool { declared.contains(message) }
}
