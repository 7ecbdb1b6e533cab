internal import System
internal import Vocabulary

/// Converts a model into the sections of a rules file.
struct RulesSectionsWriter {
    let model: RulesModel
    var pool = StringPool()
    private var outcomes: [OutcomeRecord] = []
    private var outcomePlaces: [OutcomeRecord: UInt32] = [:]
    private(set) var buffers: [RulesSection: [UInt8]] = [:]

    init(_ model: RulesModel) {
        self.model = model
    }

    mutating func write() {
        pool.collect(model)
        pool.number()
        writeStrings()
        for step in pool.ordered(model.localeFallbacks, by: \.locale) {
            let record = FallbackRecord {
                $0.locale = pool[step.locale]
                $0.fallback = pool[step.fallback]
            }
            append(record, to: .localeFallbacks)
        }
        writeFacts()
        writeMessages()
        writeRules()
        let settings = SettingsRecord {
            $0.appAppleId = model.appAppleId
            $0.environment = model.environment.dataFileNumber
            $0.flags = model.killSwitch ? SettingsFlags.killSwitch : 0
            $0.bundleId = pool[model.bundleId]
            $0.revision = pool[model.revision]
            $0.lastLocale = pool[model.lastLocale]
            $0.defaultOutcome = model.defaultOutcome.map { reference(to: $0) } ?? .none
        }
        append(settings, to: .settings)
        for outcome in outcomes { append(outcome, to: .outcomes) }
    }

    mutating func append(_ record: some FileRecord, to section: RulesSection) {
        buffers[section, default: []].append(copying: record)
    }

    private mutating func writeStrings() {
        var bytes: [UInt8] = []
        var index: [UInt8] = []
        // A hash table with open addressing: a power of two, at least twice as many buckets as strings.
        var bucketCount = 2
        while bucketCount < 2 * pool.sorted.count { bucketCount *= 2 }
        var buckets = [EntryReference](repeating: .none, count: bucketCount)
        for (number, text) in pool.sorted.enumerated() {
            index.append(copying: UInt32(bytes.count))
            bytes += text
            var place = Int(truncatingIfNeeded: text.span.wordHash) & (bucketCount - 1)
            while !buckets[place].isNone { place = (place + 1) & (bucketCount - 1) }
            buckets[place] = EntryReference(UInt32(truncatingIfNeeded: number))
        }
        index.append(copying: UInt32(bytes.count))
        buffers[.strings] = bytes
        buffers[.stringIndex] = index
        for bucket in buckets { append(ReferenceRecord { $0.reference = bucket }, to: .stringBuckets) }
    }

    private mutating func writeFacts() {
        for fact in model.facts {
            let record = FactDeclarationRecord {
                $0.name = pool[fact.name]
                $0.kind = UInt32(fact.kind.rawValue)
            }
            append(record, to: .factDeclarations)
        }
    }

    private mutating func writeMessages() {
        var taken: UInt32 = 0
        for message in model.messages {
            let record = MessageRecord {
                $0.name = pool[message.name]
                $0.kind = UInt16(truncatingIfNeeded: message.kind.rawValue)
                $0.flags = message.failsWhenUnapproved ? MessageFlags.failsWhenUnapproved : 0
                $0.firstIdentifier = EntryReference(taken)
                $0.identifierCount = UInt32(message.identifiers.count)
            }
            append(record, to: .messages)
            for identifier in pool.ordered(message.identifiers, by: \.locale) {
                let record = IdentifierRecord {
                    $0.locale = pool[identifier.locale]
                    $0.flags = identifier.isMasked ? IdentifierFlags.masked : 0
                    $0.high = identifier.identifier.high
                    $0.low = identifier.identifier.low
                }
                append(record, to: .messageIdentifiers)
            }
            taken += record.identifierCount
        }
    }

    /// Returns the place of an outcome in its section. Equal outcomes share one place.
    mutating func reference(to outcome: RulesModel.Outcome) -> EntryReference {
        func place(_ index: Int) -> EntryReference {
            UInt32(exactly: index).map(EntryReference.init) ?? .none
        }
        func record(
            _ kind: OutcomeKind, _ message: EntryReference, _ first: EntryReference = .none,
            _ second: EntryReference = .none
        ) -> OutcomeRecord {
            OutcomeRecord {
                $0.kind = kind.rawValue
                $0.message = message
                $0.first = first
                $0.second = second
            }
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
