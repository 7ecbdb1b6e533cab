public import Cryptography
public import Facts
public import System

/// The rules of one app in one environment, in the form that the evaluator walks. The loader makes it from a rules
/// source and writes it into the generation, and the workers map it. The form is private to this build: whoever maps a
/// file knows that the same build wrote it, so nothing in it is checked but that the sections lie inside the file.
public final class RulesFile: Sendable {
    /// The SHA-256 of the source from which the rules were made.
    public let digest: SHA256Digest
    public var appAppleId: Int64 { tables.settings.appAppleId }
    public let environment: Environment
    let tables: RulesTables
    private let storage: DataFileBytes

    private typealias Contents = (digest: SHA256Digest, environment: Environment, tables: RulesTables)

    public convenience init(mapping memory: consuming MappedMemory) throws(DataFileError) {
        let contents = try memory.withBytes { bytes throws(DataFileError) in try Self.contents(of: bytes) }
        self.init(.mapped(memory), contents)
    }

    public convenience init(_ model: RulesModel, digest: SHA256Digest) {
        let bytes = Self.bytes(of: model, digest: digest)
        guard let contents = try? bytes.span.withRawBytes({ try Self.contents(of: $0) }) else {
            preconditionFailure("the writer made these bytes")
        }
        self.init(.copied(bytes), contents)
    }

    private init(_ storage: consuming DataFileBytes, _ contents: Contents) {
        (digest, environment, tables) = contents
        self.storage = storage
    }

    private static func contents(of bytes: RawSpan) throws(DataFileError) -> Contents {
        let tables = try RulesTables(bytes)
        guard let environment = Environment(dataFileNumber: tables.settings.environment),
            let raw = bytes.bytes(offset: 0, byteCount: RulesPlaces.digestByteCount),
            let digest = SHA256Digest(bytes: raw.span)
        else { throw DataFileError(.truncated, offset: 0) }
        return (digest, environment, tables)
    }

    public static func bytes(of model: RulesModel, digest: SHA256Digest) -> [UInt8] {
        let sections = RulesFileWriter(model)
        var places: [UInt8] = digest.bytes
        var contents: [UInt8] = []
        for section in RulesSection.allCases {
            let bytes = sections.buffers[section] ?? []
            places.append(copying: UInt64(RulesPlaces.byteCount + contents.count))
            places.append(copying: UInt64(bytes.count))
            contents += bytes
            contents += [UInt8](repeating: 0, count: -bytes.count & 7)
        }
        return places + contents
    }

    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }
}

extension RulesFile {
    public var bundleId: String { string(tables.settings.bundleId) ?? "" }

    public var revision: String? { string(tables.settings.revision) }

    public var ruleCount: Int { tables.rules.count }

    public var messageCount: Int { tables.messages.count }
}

public enum RuleName {
    case rule(Int)
    case arm(Int, ofRule: Int)
    case message(Int)
    case string(EntryReference)
}

extension RulesFile {
    public var declaredFacts: [(name: String, kind: ValueKind)] {
        withBytes { bytes in
            (0..<tables.factDeclarations.count).compactMap { index in
                guard let record = tables.factDeclarations.record(at: index, in: bytes),
                    let name = tables.strings.string(record.name, in: bytes),
                    let kind = UInt8(exactly: record.kind).flatMap(ValueKind.init(rawValue:))
                else { return nil }
                return (name, kind)
            }
        }
    }

    public func kind(of fact: Fact) -> ValueKind? {
        withBytes { tables.kind(of: fact, $0) }
    }

    public func name(of fact: Fact) -> String? {
        guard case .declared(let index) = fact else { return fact.builtInName }
        return withBytes { bytes in
            tables.factDeclarations.record(at: index, in: bytes).flatMap {
                tables.strings.string($0.name, in: bytes)
            }
        }
    }

    public func segmentName(at index: Int) -> String? {
        withBytes { bytes in
            tables.segments.record(at: index, in: bytes).flatMap { tables.strings.string($0.name, in: bytes) }
        }
    }

    public func ruleID(at index: Int) -> String? { name(of: .rule(index)) }

    public func messageName(at index: Int) -> String? { name(of: .message(index)) }

    public func armName(at index: Int, ofRule rule: Int) -> String? { name(of: .arm(index, ofRule: rule)) }

    public func string(_ reference: EntryReference) -> String? { name(of: .string(reference)) }

    private func name(of named: RuleName) -> String? {
        withBytes { bytes in
            tables.name(of: named, bytes).flatMap { tables.strings.string($0, in: bytes) }
        }
    }

    /// Appends nothing and returns false when the file has no such name.
    public func append(nameOf named: RuleName, to text: inout TextBuffer) -> Bool {
        withBytes { bytes in
            guard let name = tables.name(of: named, bytes),
                let range = tables.strings.range(of: name, in: bytes)
            else { return false }
            return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text.append($0) } != nil
        }
    }

    public func armCount(ofRule rule: Int) -> Int {
        withBytes { bytes in
            guard let steps = tables.ruleSteps.record(at: rule, in: bytes), !steps.variants.isNone else {
                return 0
            }
            return Int(steps.armCount)
        }
    }

    public func hasRollout(rule: Int) -> Bool {
        withBytes { bytes in tables.ruleSteps.record(at: rule, in: bytes).map { !$0.rollout.isNone } ?? false
        }
    }
}

extension RulesTables {
    fileprivate func name(of named: RuleName, _ bytes: RawSpan) -> EntryReference? {
        switch named {
        case .rule(let index): return rules.record(at: index, in: bytes)?.identifier
        case .message(let index): return messages.record(at: index, in: bytes)?.name
        case .string(let reference): return reference
        case .arm(let index, let rule):
            guard let steps = ruleSteps.record(at: rule, in: bytes), index >= 0, index < Int(steps.armCount)
            else { return nil }
            return arms.record(at: steps.firstArm.index + index, in: bytes)?.name
        }
    }

    func kind(of fact: Fact, _ bytes: RawSpan) -> ValueKind? {
        guard case .declared(let index) = fact else { return fact.builtInKind }
        return factDeclarations.record(at: index, in: bytes).flatMap {
            UInt8(exactly: $0.kind).flatMap(ValueKind.init(rawValue:))
        }
    }
}

/// Can be read any number of times with ``RulesFile/text(at:)``.
public struct FileString: Sendable, Hashable {
    let offset: UInt32
    let byteCount: UInt32
}

extension RulesTables {
    func billingPlanType(_ reference: EntryReference, in bytes: RawSpan) -> BillingPlanType? {
        guard let range = strings.range(of: reference, in: bytes) else { return nil }
        return bytes.withSpan(offset: range.lowerBound, byteCount: range.count) { text in
            BillingPlanType.allCases.first { $0.rawValue.utf8Span.span.isEqual(to: text) }
        } ?? nil
    }
}

extension StringTable {
    public func place(of reference: EntryReference, in bytes: RawSpan) -> FileString? {
        guard let range = range(of: reference, in: bytes), let offset = UInt32(exactly: range.lowerBound),
            let byteCount = UInt32(exactly: range.count)
        else { return nil }
        return FileString(offset: offset, byteCount: byteCount)
    }
}

extension RulesFile {
    /// For a place in another file it returns whatever lies there, and never reads beyond the end of this file.
    public func text(at place: FileString) -> String {
        withBytes { bytes in
            bytes.withSpan(offset: Int(place.offset), byteCount: Int(place.byteCount)) { span in
                String(decoding: span.copied(), as: UTF8.self)
            }
        } ?? ""
    }

    /// A facts file must have these; one that is only declared need not be there yet.
    public var readFacts: [(name: String, kind: ValueKind)] {
        let numbers = readFactNumbers
        return declaredFacts.enumerated().filter { numbers.contains($0.offset) }.map(\.element)
    }

    /// True when a decision can depend on a fact, on whether there is a record, or on how old the file is.
    public var dependsOnFacts: Bool {
        readFactsOfAnyKind.contains { fact in
            switch fact {
            case .declared, .factsFound, .factsAgeSeconds: true
            case .productId, .userLocale, .language, .environment, .originalTransactionId, .now: false
            }
        }
    }

    var readFactNumbers: Set<Int> {
        Set(readFactsOfAnyKind.compactMap { if case .declared(let index) = $0 { index } else { nil } })
    }

    private var readFactsOfAnyKind: Set<Fact> {
        withBytes { bytes in
            var read: Set<Fact> = []
            func add(_ number: UInt16) {
                if let fact = Fact(number: number) { read.insert(fact) }
            }
            for index in 0..<tables.conditions.count {
                tables.conditions.record(at: index, in: bytes).map { add($0.fact) }
            }
            for index in 0..<tables.splits.count {
                tables.splits.record(at: index, in: bytes).flatMap { UInt16(exactly: $0.unit) }.map(add)
            }
            if let caps = tables.caps.record(at: 0, in: bytes) {
                add(caps.acceptedFact)
                add(caps.lastFact)
            }
            return read
        }
    }
}

/// A split of the subscribers, with what a reader of the decision log must know of it.
public struct RulesExperiment: Sendable {
    public enum Division: Sendable {
        case holdout(basisPoints: Int)
        case rollout(basisPoints: Int)
        /// The arms of a rule, in their order; `weight` is how many of 10000 buckets an arm takes.
        case variants(arms: [(name: String, weight: Int)])
    }

    public let rule: String?
    public let salt: String
    public let unit: String
    public let division: Division
    /// The first millisecond since 1970 at which the split is over; nil when it has no end.
    public let until: Int64?
}

extension RulesFile {
    /// The holdout, then the rollout and the arms of each rule that is switched on. It allocates strings.
    public func forEachExperiment(_ body: (RulesExperiment) -> Void) {
        withBytes { bytes in
            func report(
                _ rule: Int?, _ split: EntryReference, _ until: Int64,
                _ division: (SplitRecord) -> RulesExperiment.Division
            ) {
                guard let split = tables.splits.record(at: split.index, in: bytes) else { return }
                let unit = UInt16(exactly: split.unit).flatMap(Fact.init(number:)).flatMap(name(of:))
                body(
                    RulesExperiment(
                        rule: rule.flatMap(ruleID(at:)), salt: string(split.salt) ?? "", unit: unit ?? "",
                        division: division(split), until: until == .max ? nil : until))
            }
            if let holdout = tables.holdout.record(at: 0, in: bytes) {
                report(nil, holdout.split, holdout.until) { .holdout(basisPoints: Int($0.basisPoints)) }
            }
            for index in 0..<tables.rules.count {
                guard let steps = tables.ruleSteps.record(at: index, in: bytes),
                    let rule = tables.rules.record(at: index, in: bytes), rule.isEnabled != 0
                else { continue }
                report(index, steps.rollout, rule.windowTo) { .rollout(basisPoints: Int($0.basisPoints)) }
                report(index, steps.variants, rule.windowTo) { _ in .variants(arms: arms(of: steps, bytes)) }
            }
        }
    }

    private func arms(of steps: RuleStepsRecord, _ bytes: RawSpan) -> [(name: String, weight: Int)] {
        var begin: UInt32 = 0
        return (0..<Int(steps.armCount)).compactMap { position in
            guard let arm = tables.arms.record(at: steps.firstArm.index + position, in: bytes) else {
                return nil
            }
            defer { begin = arm.end }
            return (string(arm.name) ?? "", Int(arm.end - begin))
        }
    }
}

extension FactsBinding {
    /// Every fact that the rules read must have a column.
    public init(rules: RulesFile, facts: FactsFile) throws(DataFileError) {
        try self.init(
            declared: rules.declaredFacts, read: rules.readFactNumbers, columns: facts.columns,
            columnsOffset: facts.columnsOffset)
    }
}

struct RulesTables: Sendable {
    let strings: StringTable
    let settings: SettingsRecord
    /// The locale fallbacks: for a locale, the locale to try next. In the order of the locales' numbers.
    let localeFallbacks: RecordTable<FallbackRecord>
    let messages: RecordTable<MessageRecord>
    let messageIdentifiers: RecordTable<IdentifierRecord>
    let rules: RecordTable<RuleRecord>
    let outcomes: RecordTable<OutcomeRecord>
    let conditions: RecordTable<ConditionRecord>
    let stringLists: RecordTable<ReferenceRecord>
    let numberLists: RecordTable<NumberRecord>
    let factDeclarations: RecordTable<FactDeclarationRecord>
    let segments: RecordTable<SegmentRecord>
    let splits: RecordTable<SplitRecord>
    let ruleSteps: RecordTable<RuleStepsRecord>
    let arms: RecordTable<ArmRecord>
    let holdout: RecordTable<HoldoutRecord>
    let caps: RecordTable<CapsRecord>
    /// For any product, then for each product, the range of the rules that may match, in `ruleLists`.
    let productRules: RecordTable<ProductRulesRecord>
    let ruleLists: RecordTable<ReferenceRecord>

    init(_ bytes: RawSpan) throws(DataFileError) {
        let places = try RulesPlaces(bytes)
        strings = StringTable(
            index: try places.table(.stringIndex), poolOffset: places[.strings].lowerBound,
            poolByteCount: places[.strings].count, buckets: try places.table(.stringBuckets))
        let settings = SettingsRecord(reading: bytes, at: places[.settings].lowerBound)
        guard let settings else { throw DataFileError(.truncated, offset: places[.settings].lowerBound) }
        self.settings = settings
        localeFallbacks = try places.table(.localeFallbacks)
        messages = try places.table(.messages)
        messageIdentifiers = try places.table(.messageIdentifiers)
        rules = try places.table(.rules)
        outcomes = try places.table(.outcomes)
        conditions = try places.table(.conditions)
        stringLists = try places.table(.stringLists)
        numberLists = try places.table(.numberLists)
        factDeclarations = try places.table(.factDeclarations)
        segments = try places.table(.segments)
        splits = try places.table(.splits)
        ruleSteps = try places.table(.ruleSteps)
        arms = try places.table(.arms)
        holdout = try places.table(.holdout)
        caps = try places.table(.caps)
        productRules = try places.table(.productRules)
        ruleLists = try places.table(.ruleLists)
    }
}

/// The beginning of a rules file: the digest of its source, then the place of each section, 16 bytes each.
struct RulesPlaces {
    static let digestByteCount = 32
    static let byteCount = digestByteCount + 16 * RulesSection.allCases.count
    private var places: [Range<Int>] = []

    init(_ bytes: RawSpan) throws(DataFileError) {
        for section in RulesSection.allCases {
            let place = Self.digestByteCount + 16 * section.rawValue
            guard let offset = bytes.uint64(at: place).flatMap({ Int(exactly: $0) }),
                let byteCount = bytes.uint64(at: place + 8).flatMap({ Int(exactly: $0) }),
                bytes.contains(offset: offset, byteCount: byteCount)
            else { throw DataFileError(.truncated, offset: place) }
            places.append(offset..<offset + byteCount)
        }
    }

    subscript(section: RulesSection) -> Range<Int> { places[section.rawValue] }

    func table<Record: FileRecord>(_ section: RulesSection) throws(DataFileError) -> RecordTable<Record> {
        let place = self[section]
        guard place.count % Record.byteCount == 0 else {
            throw DataFileError(.badSectionLength, section: "\(section)", offset: place.lowerBound)
        }
        return RecordTable(offset: place.lowerBound, count: place.count / Record.byteCount)
    }
}

extension ConditionRecord {
    func operands(in tables: RulesTables, _ bytes: RawSpan) -> [FactValue] {
        let kind = ValueKind(rawValue: valueKind) ?? .string
        switch ConditionOperation(rawValue: operation)?.operand {
        case .flag: return [.boolean(value != 0)]
        case .days: return [.integer(value)]
        case .value, .part:
            return [FactValue(kind, value, string: { tables.strings.string(first, in: bytes) })]
        case .list, .range:
            return (first.index..<first.index + Int(count)).map { index in
                FactValue(kind, tables.numberLists.record(at: index, in: bytes)?.number ?? 0) {
                    tables.stringLists.record(at: index, in: bytes).flatMap {
                        tables.strings.string($0.reference, in: bytes)
                    }
                }
            }
        case .conditions, .segment, nil: return []
        }
    }
}

extension FactValue {
    fileprivate init(_ kind: ValueKind, _ number: Int64, string: () -> String?) {
        switch kind {
        case .string: self = .string(string() ?? "")
        case .date: self = .date(number)
        case .integer: self = .integer(number)
        case .boolean: self = .boolean(number != 0)
        }
    }
}
