internal import Facts
internal import System

/// Compares bytes: Swift treats two encodings of the same accented letter as equal.
final class StringPool {
    private var numbers: [[UInt8]: EntryReference] = [:]
    private(set) var strings: [[UInt8]] = []

    subscript(text: String?) -> EntryReference {
        guard let text else { return .none }
        let bytes = Array(text.utf8)
        if let known = numbers[bytes] { return known }
        let number = EntryReference(UInt32(strings.count))
        numbers[bytes] = number
        strings.append(bytes)
        return number
    }
}

struct RulesFileWriter {
    private let model: RulesModel
    private let pool = StringPool()
    private var outcomes: [OutcomeRecord] = []
    private var outcomePlaces: [OutcomeRecord: EntryReference] = [:]
    private var splits: [SplitRecord] = []
    private var arms: [ArmRecord] = []
    private(set) var buffers: [RulesSection: [UInt8]] = [:]

    init(_ model: RulesModel) {
        self.model = model
        let fallbacks = model.localeFallbacks.map { [pool] in
            FallbackRecord(locale: pool[$0.locale], fallback: pool[$0.fallback])
        }
        append(fallbacks.sorted { $0.locale.number < $1.locale.number }, to: .localeFallbacks)
        for fact in model.facts {
            append(
                [FactDeclarationRecord(name: pool[fact.name], kind: UInt32(fact.kind.rawValue))],
                to: .factDeclarations)
        }
        writeMessages()
        writeExposure()
        writeRules()
        let settings = SettingsRecord(
            appAppleId: model.appAppleId, isKilled: model.killSwitch ? 1 : 0,
            environment: model.environment.dataFileNumber, bundleId: pool[model.bundleId],
            revision: pool[model.revision], lastLocale: pool[model.lastLocale],
            defaultOutcome: model.defaultOutcome.map { reference(to: $0) } ?? .none)
        append([settings], to: .settings)
        append(outcomes, to: .outcomes)
        append(splits, to: .splits)
        append(arms, to: .arms)
        writeStrings()
    }

    private mutating func append(_ records: [some FileRecord], to section: RulesSection) {
        for record in records { buffers[section, default: []].append(copying: record) }
    }

    private mutating func writeMessages() {
        var taken: UInt32 = 0
        for message in model.messages {
            let record = MessageRecord(
                name: pool[message.name], kind: UInt16(truncatingIfNeeded: message.kind.rawValue),
                failsWhenUnapproved: message.failsWhenUnapproved ? 1 : 0,
                firstIdentifier: EntryReference(taken), identifierCount: UInt32(message.identifiers.count))
            append([record], to: .messages)
            let identifiers = message.identifiers.map { [pool] in
                IdentifierRecord(
                    locale: pool[$0.locale], isMasked: $0.isMasked ? 1 : 0,
                    high: $0.identifier.high, low: $0.identifier.low)
            }
            append(identifiers.sorted { $0.locale.number < $1.locale.number }, to: .messageIdentifiers)
            taken += record.identifierCount
        }
    }

    private mutating func writeExposure() {
        if let holdout = model.holdout {
            let record = HoldoutRecord(
                split: reference(to: holdout.split), outcome: reference(to: holdout.outcome),
                until: holdout.until ?? .max)
            append([record], to: .holdout)
        }
        if let caps = model.caps {
            let record = CapsRecord(
                allowsUnknown: caps.allowsUnknown ? 1 : 0,
                acceptedFact: caps.acceptedFact?.number ?? 0, lastFact: caps.lastFact?.number ?? 0,
                maxAccepted: caps.maxAccepted ?? -1, minDaysSinceLast: caps.minDaysSinceLast ?? -1)
            append([record], to: .caps)
        }
    }

    private mutating func writeRules() {
        var conditions = ConditionWriter(pool: pool)
        for segment in model.segments {
            let record = SegmentRecord(
                name: pool[segment.name], condition: conditions.add(segment.condition))
            append([record], to: .segments)
        }
        var rules: [RuleRecord] = []
        for rule in model.rules {
            let (written, outcome) = steps(of: rule)
            append([written], to: .ruleSteps)
            rules.append(
                RuleRecord(
                    identifier: pool[rule.id], isEnabled: rule.isEnabled ? 1 : 0,
                    condition: rule.condition.map { conditions.add($0) } ?? .none, outcome: outcome,
                    windowFrom: rule.windowFrom ?? .min, windowTo: rule.windowTo ?? .max))
        }
        append(conditions.nodes, to: .conditions)
        append(conditions.strings.map { ReferenceRecord(reference: $0) }, to: .stringLists)
        append(conditions.numbers.map { NumberRecord(number: $0) }, to: .numberLists)
        writeIndex()
        let selective = selectivePredicates(of: rules.map(\.condition), in: conditions.nodes)
        for index in rules.indices { rules[index].selectivePredicate = selective[index] }
        append(rules, to: .rules)
    }

    private mutating func reference(to split: RulesModel.Split) -> EntryReference {
        splits.append(
            SplitRecord(
                salt: pool[split.salt], unit: UInt32(split.unit.number),
                basisPoints: UInt32(clamping: split.basisPoints)))
        return EntryReference(UInt32(splits.count - 1))
    }

    private mutating func steps(of rule: RulesModel.Rule) -> (RuleStepsRecord, EntryReference) {
        var record = RuleStepsRecord()
        if let rollout = rule.rollout { record.rollout = reference(to: rollout) }
        switch rule.choice {
        case .outcome(let outcome): return (record, reference(to: outcome))
        case .variants(let variants):
            record.variants = reference(
                to: RulesModel.Split(
                    salt: variants.salt, unit: variants.unit, basisPoints: DataFileLimits.bucketCount))
            record.firstArm = EntryReference(UInt32(arms.count))
            record.armCount = UInt32(variants.arms.count)
            var end = 0
            for arm in variants.arms {
                end = end.addingReportingOverflow(arm.weight).partialValue
                let outcome = reference(to: arm.outcome)
                arms.append(ArmRecord(name: pool[arm.name], outcome: outcome, end: UInt32(clamping: end)))
            }
            return (record, .none)
        }
    }

    /// The first entry has the rules that may match for any product, see ``ProductSet``.
    private mutating func writeIndex() {
        let segments = model.segmentProducts
        var always: [UInt32] = []
        var named: [UInt32: [UInt32]] = [:]
        for (index, rule) in model.rules.enumerated() {
            let number = UInt32(truncatingIfNeeded: index)
            switch ProductSet(rule.condition, segments) {
            case .any: always.append(number)
            case .some(let products):
                for product in products { named[pool[product.text].number, default: []].append(number) }
            }
        }
        var first: UInt32 = 0
        for (product, rules) in [(EntryReference.none.number, always)] + named.sorted(by: { $0.key < $1.key })
        {
            let count = UInt32(truncatingIfNeeded: rules.count)
            append(
                [ProductRulesRecord(productId: EntryReference(product), first: first, count: count)],
                to: .productRules)
            append(rules.map { ReferenceRecord(reference: EntryReference($0)) }, to: .ruleLists)
            first += count
        }
    }

    private mutating func reference(to outcome: RulesModel.Outcome) -> EntryReference {
        var record = OutcomeRecord()
        record.message = outcome.message.flatMap { UInt32(exactly: $0) }.map(EntryReference.init) ?? .none
        switch outcome {
        case .nothing: record.kind = OutcomeKind.nothing.rawValue
        case .message: record.kind = OutcomeKind.message.rawValue
        case .switch(_, let productId, let plan):
            record.kind = OutcomeKind.switch.rawValue
            (record.first, record.second) = (pool[productId], pool[plan?.rawValue])
        case .offer(_, let productId, let offerIdentifier):
            record.kind = OutcomeKind.offer.rawValue
            (record.first, record.second) = (pool[productId], pool[offerIdentifier])
        case .advancedCommerce(_, let request):
            record.kind = OutcomeKind.advancedCommerce.rawValue
            record.first = pool[request]
        }
        if let found = outcomePlaces[record] { return found }
        let place = EntryReference(UInt32(outcomes.count))
        outcomePlaces[record] = place
        outcomes.append(record)
        return place
    }

    private mutating func writeStrings() {
        var bytes: [UInt8] = []
        var index: [UInt8] = []
        // A hash table with open addressing: a power of two, at least twice as many buckets as strings.
        var bucketCount = 2
        while bucketCount < 2 * pool.strings.count { bucketCount *= 2 }
        var buckets = [EntryReference](repeating: .none, count: bucketCount)
        for (number, text) in pool.strings.enumerated() {
            index.append(copying: UInt32(bytes.count))
            bytes += text
            var place = Int(truncatingIfNeeded: text.span.wordHash) & (bucketCount - 1)
            while !buckets[place].isNone { place = (place + 1) & (bucketCount - 1) }
            buckets[place] = EntryReference(UInt32(truncatingIfNeeded: number))
        }
        index.append(copying: UInt32(bytes.count))
        buffers[.strings] = bytes
        buffers[.stringIndex] = index
        append(buckets.map { ReferenceRecord(reference: $0) }, to: .stringBuckets)
    }
}

/// Lays out the nodes of conditions level by level, so that the children of a node stand together and after the node.
struct ConditionWriter {
    let pool: StringPool
    private(set) var nodes: [ConditionRecord] = []
    private(set) var strings: [EntryReference] = []
    private(set) var numbers: [Int64] = []

    init(pool: StringPool) {
        self.pool = pool
    }

    mutating func add(_ condition: Condition) -> EntryReference {
        let root = nodes.count
        var waiting = [condition]
        nodes.append(Self.placeholder)
        var next = 0
        while next < waiting.count {
            let children = place(waiting[next], at: root + next)
            waiting += children
            for _ in children { nodes.append(Self.placeholder) }
            next += 1
        }
        return EntryReference(UInt32(root))
    }

    private static let placeholder = ConditionRecord()

    /// Writes one node and returns its children. The caller gives them the next free places.
    private mutating func place(_ condition: Condition, at index: Int) -> [Condition] {
        switch condition {
        case .all(let children): return placeGroup(.all, children, at: index)
        case .any(let children): return placeGroup(.any, children, at: index)
        case .not(let child): return placeGroup(.not, [child], at: index)
        case .predicate(let predicate): nodes[index] = record(of: predicate)
        case .segment(let segment):
            nodes[index].operation = ConditionOperation.segment.rawValue
            nodes[index].first = UInt32(exactly: segment).map(EntryReference.init) ?? .none
        }
        return []
    }

    private mutating func placeGroup(_ operation: ConditionOperation, _ children: [Condition], at index: Int)
        -> [Condition]
    {
        nodes[index].operation = operation.rawValue
        nodes[index].first = EntryReference(UInt32(nodes.count))
        nodes[index].count = UInt32(children.count)
        return children
    }

    private mutating func record(of predicate: Predicate) -> ConditionRecord {
        var record = Self.placeholder
        record.operation = predicate.operation.rawValue
        record.fact = predicate.fact.number
        guard let first = predicate.operands.first else { return record }
        switch predicate.operation.operand {
        case .conditions, .segment: break
        case .value, .part:
            record.valueKind = first.kind.rawValue
            record.value = first.number
            if case .string(let text) = first { record.first = pool[text] }
        case .flag: record.value = first.number
        case .days:
            record.valueKind = ValueKind.date.rawValue
            record.value = first.number
        case .range:
            record.valueKind = first.kind.rawValue
            record.first = EntryReference(UInt32(numbers.count))
            record.count = UInt32(predicate.operands.count)
            numbers += predicate.operands.map(\.number)
        case .list: place(predicate.operands, in: &record)
        }
        return record
    }

    private mutating func place(_ values: [FactValue], in record: inout ConditionRecord) {
        let kind = values.first?.kind ?? .string
        record.valueKind = kind.rawValue
        if kind == .string {
            let listed = values.compactMap { value in
                if case .string(let text) = value { pool[text].number } else { nil }
            }
            let unique = Set(listed).sorted()
            record.first = EntryReference(UInt32(strings.count))
            record.count = UInt32(unique.count)
            strings += unique.map(EntryReference.init)
        } else {
            let unique = Set(values.map(\.number)).sorted()
            record.first = EntryReference(UInt32(numbers.count))
            record.count = UInt32(unique.count)
            numbers += unique
        }
    }
}

/// Finds for each rule the predicate that most likely tells it from the others, so that a decision can pass over most
/// rules after one comparison: of the children of its root `all`, the comparison with one value that the fewest rules
/// share. `eq` of productId is left out, because the index by product has answered it already.
func selectivePredicates(of roots: [EntryReference], in nodes: [ConditionRecord]) -> [EntryReference] {
    let comparisons = roots.map { root -> [Int] in
        guard !root.isNone, nodes[root.index].operation == ConditionOperation.all.rawValue else { return [] }
        let first = nodes[root.index].first.index
        return (first..<first + Int(nodes[root.index].count)).filter { index in
            guard let operation = ConditionOperation(rawValue: nodes[index].operation) else { return false }
            return operation.operand == .value
                && (nodes[index].fact != Fact.productId.number || !operation.namesValues)
        }
    }
    var sharing: [ConditionRecord: Int] = [:]
    for index in comparisons.joined() { sharing[nodes[index], default: 0] += 1 }
    return comparisons.map { own in
        let rarest = own.min { sharing[nodes[$0], default: 0] < sharing[nodes[$1], default: 0] }
        return rarest.map { EntryReference(UInt32(truncatingIfNeeded: $0)) } ?? .none
    }
}
