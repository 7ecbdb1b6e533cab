internal import System
internal import Vocabulary

extension RulesModel {
    /// Reads a file back into a model. Writing it again under the same stamp gives the same bytes.
    ///
    /// Open the file in full first; of one that is damaged this reads what can be read.
    public init(reading file: RulesFile) {
        self.init(
            appAppleId: file.header.appAppleId,
            bundleId: file.bundleId,
            environment: file.header.environment
        )
        let tables = file.tables
        let settings = tables.settings
        killSwitch = settings.flags & SettingsFlags.killSwitch != 0
        metadata = file.metadata.map { Metadatum(key: $0.key, value: $0.value) }
        lastLocale = settings.lastLocale.isNone ? nil : file.string(settings.lastLocale)
        file.withBytes { bytes in
            for index in 0..<tables.localeFallbacks.count {
                guard let record = tables.localeFallbacks.record(at: index, in: bytes),
                    let locale = tables.strings.string(record.locale, in: bytes),
                    let fallback = tables.strings.string(record.fallback, in: bytes)
                else { continue }
                localeFallbacks.append(LocaleFallback(locale: locale, fallback: fallback))
            }
            messages = (0..<tables.messages.count).compactMap { Self.message(at: $0, tables, bytes) }
            rules = (0..<tables.rules.count).compactMap { Self.rule(at: $0, tables, bytes) }
            defaultOutcome = Self.outcome(settings.defaultOutcome, tables, bytes)
        }
    }

    private static func message(at index: Int, _ tables: RulesTables, _ bytes: RawSpan) -> Message? {
        guard let record = tables.messages.record(at: index, in: bytes),
            let name = tables.strings.string(record.name, in: bytes),
            let kind = MessageKind(rawValue: record.kind)
        else { return nil }
        var message = Message(name: name, kind: kind, identifiers: [])
        let first = record.firstIdentifier.index
        for position in 0..<min(Int(record.identifierCount), tables.messageIdentifiers.count) {
            guard let entry = tables.messageIdentifiers.record(at: first + position, in: bytes),
                let locale = tables.strings.string(entry.locale, in: bytes)
            else { continue }
            let identifier = UUID(high: entry.high, low: entry.low)
            message.identifiers.append(LocalizedIdentifier(locale: locale, identifier: identifier))
        }
        return message
    }

    private static func rule(at index: Int, _ tables: RulesTables, _ bytes: RawSpan) -> Rule? {
        guard let record = tables.rules.record(at: index, in: bytes),
            let id = tables.strings.string(record.identifier, in: bytes),
            let outcome = outcome(record.outcome, tables, bytes)
        else { return nil }
        var rule = Rule(id: id, outcome: outcome)
        rule.isEnabled = record.flags & RuleFlags.enabled != 0
        rule.windowFrom = record.windowFrom == .min ? nil : record.windowFrom
        rule.windowTo = record.windowTo == .max ? nil : record.windowTo
        rule.condition = Condition(reading: record.condition, depth: 0, tables, bytes)
        return rule
    }

    private static func outcome(
        _ reference: EntryReference,
        _ tables: RulesTables,
        _ bytes: RawSpan
    ) -> Outcome? {
        guard let record = tables.outcomes.record(at: reference.index, in: bytes) else { return nil }
        return OutcomeKind(rawValue: record.kind) == .message ? .message(record.message.index) : .nothing
    }
}

extension Condition {
    /// Reads the tree below a node; nil when it is damaged or deeper than allowed.
    package init?(reading reference: EntryReference, depth: Int, _ tables: RulesTables, _ bytes: RawSpan) {
        guard depth <= DataFileLimits.conditionDepth,
            let node = tables.conditions.record(at: reference.index, in: bytes),
            let operation = ConditionOperation(rawValue: node.operation)
        else { return nil }
        if operation.isGroup {
            guard Int(node.count) <= tables.conditions.count else { return nil }
            let children = (0..<node.count).compactMap { position in
                let child = EntryReference(node.first.number &+ position)
                return Condition(reading: child, depth: depth + 1, tables, bytes)
            }
            switch operation {
            case .all: self = .all(children)
            case .any: self = .any(children)
            default:
                guard let child = children.first else { return nil }
                self = .not(child)
            }
            return
        }
        guard let fact = Fact(rawValue: node.fact) else { return nil }
        let values = Self.values(of: node, operation, fact, tables, bytes)
        switch (operation, values.first) {
        case (.isIn, _): self = .isIn(fact, values)
        case (.isNotIn, _): self = .isNotIn(fact, values)
        case (.equal, let value?): self = .equal(fact, value)
        case (.notEqual, let value?): self = .notEqual(fact, value)
        case (.prefix, .string(let text)?): self = .prefix(fact, text)
        default: return nil
        }
    }

    private static func values(
        of node: ConditionRecord,
        _ operation: ConditionOperation,
        _ fact: Fact,
        _ tables: RulesTables,
        _ bytes: RawSpan
    ) -> [FactValue] {
        let start = node.first.index
        switch (operation.hasList, fact.valueKind) {
        case (false, .date): return [.date(node.value)]
        case (false, .string):
            return tables.strings.string(node.first, in: bytes).map { [.string($0)] } ?? []
        case (true, .date):
            let end = min(start + Int(node.count), tables.dateLists.count)
            guard start < end else { return [] }
            return (start..<end).compactMap { index in
                tables.dateLists.record(at: index, in: bytes).map { .date($0.milliseconds) }
            }
        case (true, .string):
            let end = min(start + Int(node.count), tables.stringLists.count)
            guard start < end else { return [] }
            return (start..<end).compactMap { index in
                tables.stringLists.record(at: index, in: bytes)
                    .flatMap { tables.strings.string($0.reference, in: bytes) }.map { .string($0) }
            }
        }
    }
}
