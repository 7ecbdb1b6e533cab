internal import DataFiles
internal import Decisions
internal import Telemetry

/// The text that the records of the same decision have in common. Most requests get one of few decisions, whose names need not be
/// looked up and written anew for each record.
///
/// A decision that has a shadow or draws is not kept: they do not follow from the key, and a record with draws may have to be cut.
struct RepeatedDecisions {
    /// Everything from which the common members of a record follow, together with the rules file.
    private struct Key: Equatable {
        let reason: DecisionReason
        let ruleIndex: Int?
        let armIndex: Int?
        let messageIndex: Int?
        let locale: EntryReference
        let served: NotedDecision.Served?

        /// Nil for a decision that is not kept.
        init?(_ noted: borrowing NotedDecision) {
            guard noted.decision.shadow == nil, noted.decision.assigned.count == 0 else { return nil }
            reason = noted.decision.reason
            ruleIndex = noted.decision.ruleIndex
            armIndex = noted.decision.armIndex
            messageIndex = noted.decision.messageIndex
            locale = noted.decision.locale
            served = noted.served
        }

        /// The place of the decision among ``RepeatedDecisions/placeCount``. Others may have the same one.
        func place(for rules: RulesFile) -> Int {
            func mixed(_ number: UInt64, _ other: Int) -> UInt64 {
                (number ^ UInt64(truncatingIfNeeded: other)) &* 0x9E37_79B9_7F4A_7C15
            }
            var number = mixed(0, Int(bitPattern: ObjectIdentifier(rules)))
            number = mixed(number, ruleIndex ?? -1)
            number = mixed(number, armIndex ?? -1)
            number = mixed(number, messageIndex ?? -1)
            number = mixed(number, Int(locale.number))
            return Int(number >> (64 - RepeatedDecisions.placeBits))
        }
    }

    private struct Entry {
        /// Kept alive, so that no other file can have its identity.
        let rules: RulesFile
        let key: Key
        let members: [UInt8]
    }

    private static let placeBits = 8
    /// How many decisions are kept. Where two have the same place, the later one is kept.
    static var placeCount: Int { 1 << placeBits }

    private var entries: [Entry?] = Array(repeating: nil, count: placeCount)

    /// Returns what was kept of the same decision by the same rules file; nil when nothing was.
    func members(of noted: borrowing NotedDecision) -> [UInt8]? {
        guard let key = Key(noted), let entry = entries[key.place(for: noted.rules)],
            entry.rules === noted.rules, entry.key == key
        else { return nil }
        return entry.members
    }

    /// Keeps the common members of the record of a decision, unless it is one that is not kept.
    mutating func keep(_ record: borrowing DecisionRecord, of noted: borrowing NotedDecision) {
        guard let key = Key(noted) else { return }
        let place = key.place(for: noted.rules)
        entries[place] = Entry(rules: noted.rules, key: key, members: record.decidedMembers)
    }
}
