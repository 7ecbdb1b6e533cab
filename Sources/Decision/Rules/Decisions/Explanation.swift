public import Facts
internal import System

public struct Explanation: Sendable {
    public let request: DecisionRequest
    public let facts: SubscriberFacts
    public let decision: Decision
    let steps: [DecisionStep]
    let file: RulesFile

    public struct Line: Sendable, Hashable {
        /// The indentation: 0 for a step, 1 for a step of a rule, more for the parts of a condition.
        public let depth: Int
        public let step: String
        public let result: String

        init(_ depth: Int, _ step: String, _ result: String) {
            self.depth = depth
            self.step = step
            self.result = result
        }
    }

    public var lines: [Line] {
        var lines: [Line] = []
        var conditions = ConditionLines(file: file)
        var rule = 0
        for step in orderedSteps {
            switch step {
            case .node(let index, let truth): conditions.truths[index] = truth
            case .failed: break
            case .when(let truth):
                lines.append(line(ofWhen: truth, rule, conditions.truths))
                lines += conditions.lines(ofRule: rule, depth: 2) { line(of: $0, $1, $2, depth: $3) }
            case .rule(let index, _):
                rule = index
                lines.append(line(of: step, rule))
            default: lines.append(line(of: step, rule))
            }
        }
        return lines + [Line(0, "decision", outcome)]
    }

    /// In the order of the declarations; the value is nil where the fact is missing.
    public var declaredFacts: [(name: String, value: FactValue?)] {
        file.declaredFacts.enumerated().map { index, fact in (fact.name, value(of: .declared(index))) }
    }

    private var outcome: String {
        switch decision.outcome {
        case .serve(let content, let identifier):
            let name = decision.messageName(in: file) ?? ""
            let locale = decision.localeUsed(in: file) ?? ""
            return "\(decision.reason.rawValue): \(content.kind.name) \(name) \(locale) \(identifier)"
        case .nothing: return "\(decision.reason.rawValue): nothing"
        }
    }

    /// The rules run for the shadow of a held-out subscriber before the holdout's outcome. Here its steps follow
    /// directly after the draw, where they belong.
    private var orderedSteps: [DecisionStep] {
        guard let mark = steps.firstIndex(of: .holdoutOutcome),
            let place = steps.firstIndex(where: { if case .holdout = $0 { true } else { false } })
        else { return steps }
        return Array(steps[...place]) + steps[(mark + 1)...] + steps[(place + 1)..<mark]
    }

    func value(of fact: Fact) -> FactValue? {
        switch fact {
        case .productId: return .string(request.productId)
        case .userLocale: return .string(request.userLocale)
        case .language: return .string(String(request.userLocale.prefix { $0 != "-" }))
        case .environment: return .string(request.environment.rawValue)
        case .originalTransactionId: return .string(request.originalTransactionId)
        case .now: return .date(request.nowMilliseconds)
        case .factsFound: return .boolean(facts.isFound)
        case .factsAgeSeconds: return facts.ageSeconds.map { .integer($0) }
        case .declared(let index):
            return file.kind(of: fact).flatMap { facts.value(ofFact: index, $0) }
        }
    }

    func text(of fact: Fact) -> String {
        switch value(of: fact) {
        case .string(let text)?: text
        case let value?: value.text
        case nil: "missing"
        }
    }
}

extension Fact {
    /// Returns the fact's name for display, or its number after `#` when the file has no name for it.
    func text(in file: RulesFile) -> String { file.name(of: self) ?? "#\(number)" }
}

extension FactValue {
    var text: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .date(let milliseconds):
            DataFileLimits.dateRange.contains(milliseconds)
                ? "\(CivilTime(milliseconds: milliseconds))" : "\(milliseconds) ms"
        case .integer(let number): "\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        }
    }
}

extension Explanation {
    func line(of step: DecisionStep, _ rule: Int) -> Line {
        switch step {
        case .killSwitch(let isOn): Line(0, "kill switch", isOn ? "on" : "off")
        case .app(let matches):
            Line(
                0, "app and environment",
                matches ? "\(request.appAppleId) \(request.environment.rawValue)" : "another file's")
        case .holdout(nil): Line(0, "holdout", "over")
        case .holdout(let draw?): Line(0, "holdout", text(of: draw))
        case .rule(let index, let isCandidate):
            Line(
                0, "rule",
                (file.ruleID(at: index) ?? "\(index)") + (isCandidate ? "" : " (not for this product)"))
        case .enabled(let isEnabled): Line(1, "enabled", isEnabled ? "yes" : "no")
        case .window(let isOpen): line(ofWindow: isOpen, rule)
        case .rollout(let draw): Line(1, "rollout", text(of: draw))
        case .arm(let draw, let index): line(ofArm: index, draw, rule)
        case .caps(let caps): line(of: caps)
        case .approval(let passes, let masked, let isFinal):
            Line(
                1, "approval",
                passes
                    ? "yes"
                    : "no: \(file.string(masked) ?? "")" + (isFinal ? " (whenUnapproved is pass)" : ""))
        case .locale(let attempt): line(of: attempt)
        case .signing(let kind, let isPossible):
            Line(1, "signing", isPossible ? kind.name : "\(kind.name): impossible")
        case .defaultOutcome(let exists): Line(0, "default", exists ? "" : "there is none")
        case .node, .when, .failed, .holdoutOutcome: Line(1, "when", "")
        }
    }

    /// `open (2026-11-01T00:00:00Z to 2026-12-31T00:00:00Z)`
    private func line(ofWindow isOpen: Bool, _ rule: Int) -> Line {
        let record = file.withBytes { file.tables.rules.record(at: rule, in: $0) }
        let from = record.flatMap { $0.windowFrom == .min ? nil : FactValue.date($0.windowFrom) }
        let to = record.flatMap { $0.windowTo == .max ? nil : FactValue.date($0.windowTo) }
        let range =
            switch (from?.text, to?.text) {
            case (nil, nil): ""
            case (let from?, nil): " (from \(from))"
            case (nil, let to?): " (until \(to))"
            case (let from?, let to?): " (\(from) to \(to))"
            }
        return Line(1, "window", (isOpen ? "open" : "closed") + range)
    }

    /// `in (bucket 512, below 1000; hash 0d1b71a3 of "annual-1" and "2000000001")`
    private func text(of draw: SplitDraw) -> String {
        let (split, unit) = split(of: draw)
        guard let hash = draw.hash, let bucket = draw.bucket else {
            return "out (\(unit?.text(in: file) ?? "unit") is missing)"
        }
        let place = draw.isIn ? "in (bucket \(bucket), below" : "out (bucket \(bucket), not below"
        return "\(place) \(split?.basisPoints ?? 0); \(hashText(hash, split, unit)))"
    }

    /// `offer (bucket 7120, 5000 to 9999; hash 0d1b71a3 of "annual-1-v" and "2000000001")`
    private func line(ofArm index: Int?, _ draw: SplitDraw, _ rule: Int) -> Line {
        let name = index.flatMap { file.armName(at: $0, ofRule: rule) }
        var result = text(of: draw)
        if let index, let hash = draw.hash, let bucket = draw.bucket {
            let (split, unit) = split(of: draw)
            let (first, end) = range(ofArm: index, rule)
            result =
                "\(name ?? "\(index)") (bucket \(bucket), \(first) to \(end - 1); \(hashText(hash, split, unit)))"
        }
        return Line(1, "arm", result)
    }

    private func range(ofArm index: Int, _ rule: Int) -> (first: Int, end: Int) {
        file.withBytes { bytes in
            let first = file.tables.ruleSteps.record(at: rule, in: bytes)?.firstArm.index ?? 0
            let before = index > 0 ? file.tables.arms.record(at: first + index - 1, in: bytes)?.end : 0
            let end = file.tables.arms.record(at: first + index, in: bytes)?.end
            return (Int(before ?? 0), Int(end ?? 0))
        }
    }

    private func split(of draw: SplitDraw) -> (split: SplitRecord?, unit: Fact?) {
        let split = file.withBytes { file.tables.splits.record(at: draw.split.index, in: $0) }
        return (split, split.flatMap { UInt16(exactly: $0.unit) }.flatMap(Fact.init(number:)))
    }

    private func hashText(_ hash: UInt32, _ split: SplitRecord?, _ unit: Fact?) -> String {
        let salt = split.flatMap { file.string($0.salt) } ?? ""
        let digits = HexadecimalDigits.text(of: hash, count: 8)
        return "hash \(digits) of \"\(salt)\" and \"\(unit.map(text(of:)) ?? "")\""
    }

    /// `passes (offersAccepted is 0, lastOfferAt is missing)`
    private func line(of caps: CapsCheck) -> Line {
        let words =
            switch caps.verdict {
            case .passes: "passes"
            case .tooMany: "too many"
            case .tooSoon: "too soon"
            case .unknown(let passes): passes ? "unknown, allowed" : "unknown, refused"
            }
        let record = file.withBytes { file.tables.caps.record(at: 0, in: $0) }
        func name(_ number: UInt16?, else other: String) -> String {
            number.flatMap(Fact.init(number:))?.text(in: file) ?? other
        }
        let accepted = caps.accepted.map { FactValue.integer($0) }
        let last = caps.last.map { FactValue.date($0) }
        return Line(
            1, "caps",
            words
                + " (\(name(record?.acceptedFact, else: "offersAccepted")) is \(accepted?.text ?? "missing"), "
                + "\(name(record?.lastFact, else: "lastOfferAt")) is \(last?.text ?? "missing"))")
    }

    private func line(of attempt: LocaleAttempt) -> Line {
        let name = file.string(attempt.locale) ?? request.userLocale
        let origin = attempt.origin == .subscriber ? "" : " (\(attempt.origin.rawValue))"
        let result = attempt.isFound ? "found" : attempt.isMasked ? "not approved" : "no message"
        return Line(1, "locale", "\(name)\(origin): \(result)")
    }
}

/// Writes the lines of conditions: each group and each segment before its children, in the order of the file. A node
/// that was not evaluated gets no line.
///
/// The tracer receives the nodes of a segment only once, when the segment is first evaluated, and it receives children
/// before their group. So the order of the lines comes from the file, and only the values come from the trace.
struct ConditionLines {
    /// Each segment may refer to another twice, so writing every reference in full could double the lines at each
    /// level.
    static let repeatLimit = 2000

    let file: RulesFile
    var truths: [Int: Truth] = [:]
    private var written: Set<Int> = []
    private var repeatsLeft = Self.repeatLimit

    init(file: RulesFile) {
        self.file = file
    }

    mutating func lines(
        ofRule rule: Int, depth: Int, _ line: (ConditionRecord, [FactValue], Truth, Int) -> Explanation.Line
    ) -> [Explanation.Line] {
        let tables = file.tables
        return file.withBytes { bytes in
            guard let root = tables.rules.record(at: rule, in: bytes)?.condition, !root.isNone else {
                return []
            }
            var lines: [Explanation.Line] = []
            var waiting = [(index: root.index, depth: depth)]
            while let (index, depth) = waiting.popLast() {
                guard let truth = truths[index], let node = tables.conditions.record(at: index, in: bytes)
                else { continue }
                if !written.insert(index).inserted {
                    guard repeatsLeft > 0 else {
                        lines.append(Explanation.Line(depth, "…", "shown above"))
                        continue
                    }
                    repeatsLeft -= 1
                }
                lines.append(line(node, node.operands(in: tables, bytes), truth, depth))
                // `popLast` takes the last element first, so the children go in in reverse order.
                waiting += node.children(in: tables, bytes).reversed().map { ($0, depth + 1) }
            }
            return lines
        }
    }
}

extension ConditionRecord {
    func children(in tables: RulesTables, _ bytes: RawSpan) -> [Int] {
        switch ConditionOperation(rawValue: operation)?.operand {
        case .conditions:
            return Array(first.index..<first.index + Int(count))
        case .segment:
            return tables.segments.record(at: first.index, in: bytes).map { [$0.condition.index] } ?? []
        case .value, .part, .list, .range, .flag, .days, nil: return []
        }
    }
}

extension Explanation {
    func line(of node: ConditionRecord, _ operands: [FactValue], _ truth: Truth, depth: Int) -> Line {
        let operation = ConditionOperation(rawValue: node.operation)
        let word = operation?.word ?? ""
        var headline = word
        var result = truth.rawValue
        if operation == .segment { headline += " \(file.segmentName(at: node.first.index) ?? "")" }
        if let fact = Fact(number: node.fact) {
            let isList = operation?.operand == .list || operation?.operand == .range
            let name = fact.text(in: file)
            headline = "\(name) \(word) \(isList ? Self.text(of: operands) : operands.first?.text ?? "")"
            result += " (\(name) is \(text(of: fact)))"
        }
        return Line(depth, headline, result)
    }

    private static func text(of values: [FactValue]) -> String {
        let shown = values.prefix(5).map(\.text)
        let rest = values.count > shown.count ? ["and \(values.count - shown.count) more"] : []
        return "[" + (shown + rest).joined(separator: ", ") + "]"
    }

    func line(ofWhen truth: Truth?, _ rule: Int, _ truths: [Int: Truth]) -> Line {
        let missing = truth == .unknown ? missingFacts(ofRule: rule, truths).map { $0.text(in: file) } : []
        let words = missing.isEmpty ? "" : " (\(missing.joined(separator: ", ")) missing)"
        return Line(1, "when", truth.map { $0.rawValue + words } ?? "always")
    }

    /// The facts whose absence made a rule's condition unknown: those of predicates that are unknown and stand only
    /// below unknown nodes.
    private func missingFacts(ofRule rule: Int, _ truths: [Int: Truth]) -> [Fact] {
        let tables = file.tables
        return file.withBytes { bytes in
            guard let root = tables.rules.record(at: rule, in: bytes)?.condition else { return [] }
            var missing: [Fact] = []
            // Two segments may refer to the same segment, so each node is visited once.
            var seen: Set<Int> = []
            var waiting = [root.index]
            while let index = waiting.popLast() {
                guard truths[index] == .unknown, seen.insert(index).inserted,
                    let node = tables.conditions.record(at: index, in: bytes),
                    let operation = ConditionOperation(rawValue: node.operation)
                else { continue }
                guard operation.isPredicate else {
                    waiting += node.children(in: tables, bytes).reversed()
                    continue
                }
                if let fact = Fact(number: node.fact), !missing.contains(fact), value(of: fact) == nil {
                    missing.append(fact)
                }
            }
            return missing
        }
    }
}

/// References are numbers of the rules file.
enum DecisionStep: Sendable, Hashable {
    case killSwitch(isOn: Bool)
    case app(matches: Bool)
    /// The draw of the holdout; nil when the holdout is over.
    case holdout(SplitDraw?)
    /// A rule that is no candidate cannot match for the product; the server passes over it without reading it.
    case rule(index: Int, isCandidate: Bool)
    case enabled(Bool)
    case window(isOpen: Bool)
    /// The evaluation of one node of a condition; children come before their group.
    case node(index: Int, Truth)
    /// The evaluation of the rule's whole condition; nil when the rule has no condition.
    case when(Truth?)
    case rollout(SplitDraw)
    case arm(SplitDraw, index: Int?)
    case caps(CapsCheck)
    /// `masked` is the first locale that Apple has not approved. `isFinal`: the message allows no other locale in its
    /// place.
    case approval(passes: Bool, masked: EntryReference, isFinal: Bool)
    case locale(LocaleAttempt)
    case signing(OutcomeKind, isPossible: Bool)
    case holdoutOutcome
    /// The outcome of a rule or of the default cannot be served.
    case failed(DecisionReason)
    /// The start of the default; false when the file has no default.
    case defaultOutcome(exists: Bool)
}

struct SplitDraw: Sendable, Hashable {
    let split: EntryReference
    /// The hash of salt and unit; nil when the unit (the fact that is hashed) is missing.
    let hash: UInt32?
    /// True when the bucket is below the split's basis points; false when the unit is missing.
    let isIn: Bool

    var bucket: Int? { hash.map(Bucketing.bucket(ofHash:)) }
}

struct CapsCheck: Sendable, Hashable {
    enum Verdict: Sendable, Hashable {
        case passes
        case tooMany
        case tooSoon
        /// A fact is missing; `whenUnknown` of the caps says whether the offer may be made all the same.
        case unknown(passes: Bool)

        var passes: Bool {
            switch self {
            case .passes: true
            case .tooMany, .tooSoon: false
            case .unknown(let passes): passes
            }
        }
    }

    let accepted: Int64?
    let last: Int64?
    let verdict: Verdict
}

struct LocaleAttempt: Sendable, Hashable {
    enum Origin: String, Sendable, Hashable {
        case subscriber
        case fallback
        case last
    }

    let origin: Origin
    let locale: EntryReference
    let isFound: Bool
    /// True when the message has this locale but may not be shown in it, because Apple has not approved it.
    let isMasked: Bool
}

/// The server's tracer ignores the steps and costs nothing: a step is only built when a tracer asks for it.
protocol DecisionTracer {
    /// True when the tracer wants the steps. If not, the evaluation leaves out the work that only a tracer needs.
    static var isRecording: Bool { get }
    mutating func record(_ step: @autoclosure () -> DecisionStep)
}

struct NoTracer: DecisionTracer {
    static var isRecording: Bool { false }

    @inline(__always)
    func record(_ step: @autoclosure () -> DecisionStep) {}
}

struct StepRecorder: DecisionTracer {
    static var isRecording: Bool { true }
    var steps: [DecisionStep] = []

    mutating func record(_ step: @autoclosure () -> DecisionStep) {
        steps.append(step())
    }
}
