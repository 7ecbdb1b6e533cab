internal import DataFiles
internal import Decisions
internal import JSON
public import Vocabulary
internal import RulesReading

/// Finds messages and embedded tests that wait for Apple's approval.
struct ApprovalLint {
    let model: RulesModel
    let findings: Findings
    let places: MessagePlaces

    func check() {
        var isMasked = false
        for message in model.messages {
            let masked = message.identifiers.count(where: \.isMasked)
            isMasked = isMasked || masked > 0
            guard masked > 0, masked == message.identifiers.count else { continue }
            findings.add(
                .maskedMessage,
                "\"\(message.name)\" is never served: Apple has approved none of its identifiers",
                at: places.path(of: message.name), isKey: places.isKey(message.name))
        }
        guard isMasked else { return }
        // A message that is masked in all locales has its own finding already.
        let never = Set(model.messages.filter { $0.identifiers.allSatisfy(\.isMasked) }.map(\.name))
        Self.report(model.pendingLocales.filter { !never.contains($0.message) }, findings, places)
        guard !model.tests.isEmpty else { return }
        Self.checkTests(of: ResolvedRules(text: [], model: model), findings)
    }

    static func report(_ locales: [PendingLocale], _ findings: Findings, _ places: MessagePlaces) {
        for pending in locales {
            findings.add(.pendingLocale, pending.text, at: places.path(of: pending.message, pending.locale))
        }
    }

    static func checkTests(of rules: ResolvedRules, _ findings: Findings) {
        for test in EmbeddedTests.run(rules.model, rules.file) where test.awaitsApproval {
            let differences = test.differences.map(\.description).joined(separator: "; ")
            findings.add(
                .testAwaitsApproval,
                "the test \"\(test.name)\" passes once Apple has approved what it expects: \(differences)",
                at: [.member("tests"), .index(test.index), .member("expect")])
        }
    }
}

extension Lint {
    /// Returns the findings about Apple's approval for compiled rules, with their places in the source. They concern
    /// locales of messages, and embedded tests that pass only after Apple has approved the messages that they expect.
    /// ``RulesCompiler/failedTests(of:source:)`` does not return these tests.
    public static func awaitingApproval(in rules: ResolvedRules, source: [UInt8]) -> [Finding] {
        let findings = collector(for: source)
        let places = MessagePlaces(rules.model, source: source)
        ApprovalLint.report(rules.model.pendingLocales, findings, places)
        ApprovalLint.checkTests(of: rules, findings)
        return findings.sorted
    }
}
