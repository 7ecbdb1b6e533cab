internal import Vocabulary

/// Turns a model into the sections of a file.
struct RulesSectionsWriter {
    let model: RulesModel
    var pool = StringPool()
    private var outcomes: [OutcomeRecord] = []
    private var outcomePlaces: [OutcomeRecord: UInt32] = [:]
    private(set) var buffers: [RulesSection: ByteBuffer] = [:]

    init(_ model: RulesModel) {
        self.model = model
    }

    mutating func write() {
        pool.collect(model)
        pool.number()
        writeStrings()
        for metadatum in model.metadata {
            append(MetadatumRecord(key: pool[metadatum.key], value: pool[metadatum.value]), to: .metadata)
        }
        for step in pool.ordered(model.localeFallbacks, by: \.locale) {
            let record = FallbackRecord(locale: pool[step.locale], fallback: pool[step.fallback])
            append(record, to: .localeFallbacks)
        }
        writeDeclarations()
        writeMessages()
        writeRules()
        writeTests()
        let settings = SettingsRecord(
            flags: model.killSwitch ? SettingsFlags.killSwitch : 0,
            requiredFeatures: model.needsLanguage ? RequiredFeatures.language : 0,
            bundleId: pool[model.bundleId],
            lastLocale: pool[model.lastLocale],
            defaultOutcome: model.defaultOutcome.map { reference(to: $0) } ?? .none,
            sourceFormat: 1
        )
        append(settings, to: .settings)
        for outcome in outcomes { append(outcome, to: .outcomes) }
    }

    mutating func append(_ record: some FileRecord, to section: RulesSection) {
        record.write(to: &buffers[section, default: ByteBuffer()])
    }

    private mutating func writeStrings() {
        var bytes = ByteBuffer()
        var index = ByteBuffer()
        var found = StringBuckets(stringCount: pool.sorted.count)
        for (number, text) in pool.sorted.enumerated() {
            index.append(UInt32(bytes.bytes.count))
            bytes.append(contentsOf: text)
            found.enter(number, text.span)
        }
        index.append(UInt32(bytes.bytes.count))
        buffers[.strings] = bytes
        buffers[.stringIndex] = index
        for bucket in found.buckets { append(bucket, to: .stringBuckets) }
    }

    private mutating func writeDeclarations() {
        for fact in model.facts {
            let record = FactDeclarationRecord(name: pool[fact.name], kind: UInt32(fact.kind.rawValue))
            append(record, to: .factDeclarations)
        }
        for product in model.products {
            append(ProductRecord(productId: pool[product.name], group: pool[product.group]), to: .products)
        }
    }

    private mutating func writeMessages() {
        var taken: UInt32 = 0
        for message in model.messages {
            let record = MessageRecord(
                name: pool[message.name],
                kind: UInt16(truncatingIfNeeded: message.kind.rawValue),
                flags: message.passesUnapproved ? MessageFlags.passesUnapproved : 0,
                firstIdentifier: EntryReference(taken),
                identifierCount: UInt32(message.identifiers.count)
            )
            append(record, to: .messages)
            for identifier in pool.ordered(message.identifiers, by: \.locale) {
                let record = IdentifierRecord(
                    locale: pool[identifier.locale],
                    flags: identifier.isMasked ? IdentifierFlags.masked : 0,
                    high: identifier.identifier.high,
                    low: identifier.identifier.low
                )
                append(record, to: .messageIdentifiers)
            }
            taken += record.identifierCount
        }
    }

    /// The place of an outcome, the same for equal ones.
    mutating func reference(to outcome: RulesModel.Outcome) -> EntryReference {
        func place(_ index: Int) -> EntryReference {
            UInt32(exactly: index).map(EntryReference.init) ?? .none
        }
        func record(
            _ kind: OutcomeKind,
            _ message: EntryReference,
            _ first: EntryReference = .none,
            _ second: EntryReference = .none
        ) -> OutcomeRecord {
            OutcomeRecord(kind: kind.rawValue, message: message, first: first, second: second)
        }
        let wanted =
            switch outcome {
            case .nothing: record(.nothing, .none)
            case .message(let index): record(.message, place(index))
            case .switch(let index, let productId, let plan):
                record(.switch, place(index), pool[productId], pool[plan?.rawValue])
            case .offer(let index, let productId, let offerIdentifier):
                record(.offer, place(index), pool[productId], pool[offerIdentifier])
            case .advancedCommerce(let index, let request):
                record(.advancedCommerce, place(index), pool[request])
            }
        if let found = outcomePlaces[wanted] { return EntryReference(found) }
        let number = UInt32(outcomes.count)
        outcomePlaces[wanted] = number
        outcomes.append(wanted)
        return EntryReference(number)
    }
}
