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
    public let tables: RulesTables
    private let storage: DataFileBytes

    private typealias Parts = (digest: SHA256Digest, environment: Environment, tables: RulesTables)

    /// Opens what ``bytes(of:digest:)`` made, in memory that nobody changes any more.
    ///
    /// - Throws: `data-file.truncated`, `.bad-section-length`.
    public convenience init(mapping memory: consuming MappedMemory) throws(DataFileError) {
        let parts = try memory.withBytes { bytes throws(DataFileError) in try Self.parts(of: bytes) }
        self.init(.mapped(memory), parts)
    }

    public convenience init(_ model: RulesModel, digest: SHA256Digest) {
        let bytes = Self.bytes(of: model, digest: digest)
        guard let parts = try? bytes.span.withRawBytes({ try Self.parts(of: $0) }) else {
            preconditionFailure("the writer made these bytes")
        }
        self.init(.copied(bytes), parts)
    }

    private init(_ storage: consuming DataFileBytes, _ parts: Parts) {
        (digest, environment, tables) = parts
        self.storage = storage
    }

    private static func parts(of bytes: RawSpan) throws(DataFileError) -> Parts {
        let tables = try RulesTables(bytes)
        guard let environment = Environment(dataFileNumber: tables.settings.environment),
            let raw = bytes.bytes(offset: 0, byteCount: RulesPlaces.digestByteCount),
            let digest = SHA256Digest(bytes: raw.span)
        else { throw DataFileError(.truncated, offset: 0) }
        return (digest, environment, tables)
    }

    /// Returns the bytes of the rules file for a model. The same model and digest give the same bytes.
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

public enum NamedPart {
    case rule(Int)
    /// An arm of a rule. Both are counted from 0.
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

    private func name(of part: NamedPart) -> String? {
        withBytes { bytes in
            tables.name(of: part, bytes).flatMap { tables.strings.string($0, in: bytes) }
        }
    }

    /// Appends the name of a part to `text`, as the bytes that the file has, without making a `String`.
    ///
    /// - Returns: false when the file has no such part. Nothing is appended then.
    public func append(nameOf part: NamedPart, to text: inout TextBuffer) -> Bool {
        withBytes { bytes in
            guard let name = tables.name(of: part, bytes),
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
    fileprivate func name(of part: NamedPart, _ bytes: RawSpan) -> EntryReference? {
        switch part {
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

/// The place of a string's bytes in a rules file. A string that was found once can be read any number of times with
/// ``RulesFile/text(at:)``.
public struct FileString: Sendable, Hashable {
    let offset: UInt32
    let byteCount: UInt32
}

extension RulesTables {
    /// Returns the billing plan type that a string of the file names, without making a `String`; nil when the string
    /// names none or does not exist.
    public func billingPlanType(_ reference: EntryReference, in bytes: RawSpan) -> BillingPlanType? {
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
    /// Returns a copy of the string at a place that was found in this file. For a place in another file it returns the
    /// text of whatever bytes lie there, and never reads beyond the end of this file.
    public func text(at place: FileString) -> String {
        withBytes { bytes in
            bytes.withSpan(offset: Int(place.offset), byteCount: Int(place.byteCount)) { span in
                String(decoding: span.copied(), as: UTF8.self)
            }
        } ?? ""
    }

    /// The declared facts that a condition, a split or a cap reads, in the order of their numbers. A facts file must
    /// have these. A fact that is only declared need not be there: the author may declare it before the facts table has
    /// it.
    public var readFacts: [(name: String, kind: ValueKind)] {
        let numbers = readFactNumbers
        return declaredFacts.enumerated().filter { numbers.contains($0.offset) }.map(\.element)
    }

    /// True when a decision can depend on the facts file: on a declared fact that is read, on whether there is a record
    /// of the subscriber, or on how old the file is.
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
            func note(_ number: UInt16) {
                if let fact = Fact(number: number) { read.insert(fact) }
            }
            for index in 0..<tables.conditions.count {
                tables.conditions.record(at: index, in: bytes).map { note($0.fact) }
            }
            for index in 0..<tables.splits.count {
                tables.splits.record(at: index, in: bytes).flatMap { UInt16(exactly: $0.unit) }.map(note)
            }
            if let caps = tables.caps.record(at: 0, in: bytes) {
                note(caps.acceptedFact)
                note(caps.lastFact)
            }
            return read
        }
    }
}

/// A split of the subscribers that a rules file makes, with what a reader of the decision log must know of it. The
/// conditions and outcomes around it are left out.
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
    /// Calls `body` for the holdout, then for the rollout and the arms of each rule that is switched on, in the order
    /// of the rules. It allocates strings.
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
                    let rule = tables.rules.record(at: index, in: bytes),
                    rule.flags & RuleFlags.enabled != 0
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
    /// Binds the declared facts of a rules file to the columns of a facts file. Every fact that the rules read must
    /// have a column.
    ///
    /// - Throws: `data-file.fact-missing`, `.fact-type-mismatch` with the fact's name.
    public init(rules: RulesFile, facts: FactsFile) throws(DataFileError) {
        try self.init(
            declared: rules.declaredFacts, read: rules.readFactNumbers, columns: facts.columns,
            columnsOffset: facts.columnsOffset)
    }
}

public struct RulesTables: Sendable {
    public let strings: StringTable
    public let settings: SettingsRecord
    /// The locale fallbacks: for a locale, the locale to try next. In the order of the locales' numbers.
    public let localeFallbacks: RecordTable<FallbackRecord>
    public let messages: RecordTable<MessageRecord>
    public let messageIdentifiers: RecordTable<IdentifierRecord>
    public let rules: RecordTable<RuleRecord>
    public let outcomes: RecordTable<OutcomeRecord>
    public let conditions: RecordTable<ConditionRecord>
    public let stringLists: RecordTable<ReferenceRecord>
    public let numberLists: RecordTable<NumberRecord>
    public let factDeclarations: RecordTable<FactDeclarationRecord>
    public let segments: RecordTable<SegmentRecord>
    public let splits: RecordTable<SplitRecord>
    /// The rollouts and the arms of rules; entry N belongs to rule N.
    public let ruleSteps: RecordTable<RuleStepsRecord>
    public let arms: RecordTable<ArmRecord>
    public let holdout: RecordTable<HoldoutRecord>
    /// The limits on how often a subscriber gets an offer; at most one entry.
    public let caps: RecordTable<CapsRecord>
    /// For any product, then for each product, the range of the rules that may match, in `ruleLists`.
    public let productRules: RecordTable<ProductRulesRecord>
    public let ruleLists: RecordTable<ReferenceRecord>

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
    /// Returns the values that a predicate compares its fact with; an empty list for a group and for a segment.
    public func operands(in tables: RulesTables, _ bytes: RawSpan) -> [FactValue] {
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
