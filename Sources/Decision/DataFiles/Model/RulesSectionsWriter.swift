internal import Vocabulary

/// Turns a model into the sections of a file.
struct RulesSectionsWriter {
    private let model: RulesModel
    private var pool = StringPool()
    private var outcomes: [OutcomeRecord] = []
    private(set) var buffers: [RulesSection: ByteBuffer] = [:]

    init(_ model: RulesModel) {
        self.model = model
    }

    mutating func write() {
        collectStrings()
        pool.number()
        writeStrings()
        for metadatum in model.metadata {
            append(MetadatumRecord(key: pool[metadatum.key], value: pool[metadatum.value]), to: .metadata)
        }
        for step in pool.ordered(model.localeFallbacks, by: \.locale) {
            let record = FallbackRecord(locale: pool[step.locale], fallback: pool[step.fallback])
            append(record, to: .localeFallbacks)
        }
        writeMessages()
        writeRules()
        let settings = SettingsRecord(
            flags: model.killSwitch ? SettingsFlags.killSwitch : 0,
            requiredFeatures: 0,
            bundleId: pool[model.bundleId],
            lastLocale: model.lastLocale.map { pool[$0] } ?? .none,
            defaultOutcome: model.defaultOutcome.map { reference(to: $0) } ?? .none,
            sourceFormat: 1
        )
        append(settings, to: .settings)
        for outcome in outcomes { append(outcome, to: .outcomes) }
    }

    private mutating func append(_ record: some FileRecord, to section: RulesSection) {
        record.write(to: &buffers[section, default: ByteBuffer()])
    }

    private mutating func collectStrings() {
        pool.collect(model.bundleId)
        for metadatum in model.metadata {
            pool.collect(metadatum.key)
            pool.collect(metadatum.value)
        }
        for step in model.localeFallbacks {
            pool.collect(step.locale)
            pool.collect(step.fallback)
        }
        if let last = model.lastLocale { pool.collect(last) }
        for message in model.messages {
            pool.collect(message.name)
            for identifier in message.identifiers { pool.collect(identifier.locale) }
        }
        for rule in model.rules {
            pool.collect(rule.id)
            if let condition = rule.condition { collectStrings(of: condition) }
        }
    }

    private mutating func collectStrings(of condition: Condition) {
        switch condition {
        case .all(let children), .any(let children):
            for child in children { collectStrings(of: child) }
        case .not(let child): collectStrings(of: child)
        case .equal(_, let value), .notEqual(_, let value): collect(value)
        case .isIn(_, let values), .isNotIn(_, let values):
            for value in values { collect(value) }
        case .prefix(_, let text): pool.collect(text)
        }
    }

    private mutating func collect(_ value: FactValue) {
        if case .string(let text) = value { pool.collect(text) }
    }

    private mutating func writeStrings() {
        var bytes = ByteBuffer()
        var index = ByteBuffer()
        for text in pool.sorted {
            index.append(UInt32(bytes.bytes.count))
            bytes.append(contentsOf: text)
        }
        index.append(UInt32(bytes.bytes.count))
        buffers[.strings] = bytes
        buffers[.stringIndex] = index
    }

    private mutating func writeMessages() {
        var taken: UInt32 = 0
        for message in model.messages {
            let record = MessageRecord(
                name: pool[message.name],
                kind: message.kind.rawValue,
                firstIdentifier: EntryReference(taken),
                identifierCount: UInt32(message.identifiers.count)
            )
            append(record, to: .messages)
            for identifier in pool.ordered(message.identifiers, by: \.locale) {
                let record = IdentifierRecord(
                    locale: pool[identifier.locale],
                    state: 0,
                    high: identifier.identifier.high,
                    low: identifier.identifier.low
                )
                append(record, to: .messageIdentifiers)
            }
            taken += record.identifierCount
        }
    }

    private mutating func writeRules() {
        var conditions = ConditionWriter(pool: pool)
        for rule in model.rules {
            let record = RuleRecord(
                identifier: pool[rule.id],
                flags: rule.isEnabled ? RuleFlags.enabled : 0,
                condition: rule.condition.map { conditions.add($0) } ?? .none,
                outcome: reference(to: rule.outcome),
                windowFrom: rule.windowFrom ?? .min,
                windowTo: rule.windowTo ?? .max
            )
            append(record, to: .rules)
        }
        for node in conditions.nodes { append(node, to: .conditions) }
        for string in conditions.strings { append(ReferenceRecord(reference: string), to: .stringLists) }
        for date in conditions.dates { append(DateRecord(milliseconds: date), to: .dateLists) }
    }

    /// The place of an outcome, the same for equal ones.
    private mutating func reference(to outcome: RulesModel.Outcome) -> EntryReference {
        let record =
            switch outcome {
            case .nothing: OutcomeRecord(kind: OutcomeKind.nothing.rawValue, message: .none, reserved: .max)
            case .message(let index):
                OutcomeRecord(
                    kind: OutcomeKind.message.rawValue,
                    message: UInt32(exactly: index).map(EntryReference.init) ?? .none,
                    reserved: .max
                )
            }
        if let found = outcomes.firstIndex(of: record) { return EntryReference(UInt32(found)) }
        outcomes.append(record)
        return EntryReference(UInt32(outcomes.count - 1))
    }
}
