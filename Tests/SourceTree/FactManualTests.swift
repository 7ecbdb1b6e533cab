import SubscriberHistory
import Support
import Testing

@Suite("The manual of facts")
struct FactManualTests {
    @Test("has the definition of every fact that follows from the store")
    func definitions() throws {
        let entries = FactDefinition.all.map { definition in
            let reasons = MissingReason.allCases.filter(definition.reasons.contains)
            let unit = definition.unit.map { ", \($0)" } ?? ""
            let fields = definition.fields.map { "`\($0.text)`" }.joined(separator: ", ")
            let codes =
                reasons.isEmpty ? "" : " (\(reasons.map { "`\($0.rawValue)`" }.joined(separator: ", ")))"
            let text =
                "\(definition.meaning) It follows from \(fields). \(definition.absence.dropLast())\(codes). "
                + "Example: \(definition.example)"
            return (term: "`\(definition.fact.name)` \(definition.fact.type)\(unit)", text: text)
        }
        try ManualPage.check(ManualPage.list(entries), in: "retention-facts.5.md", part: "facts")
    }

    @Test("has every reason for which such a fact is missing")
    func reasons() throws {
        let entries = MissingReason.allCases.map { reason in
            let text = String(reason.text.prefix(1)).uppercased() + reason.text.dropFirst()
            return (term: "`\(reason.rawValue)`", text: text + ".")
        }
        try ManualPage.check(ManualPage.list(entries), in: "retention-facts.5.md", part: "reasons")
    }
}
