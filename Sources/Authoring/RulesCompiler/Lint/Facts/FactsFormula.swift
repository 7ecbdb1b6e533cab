internal import DataFiles

/// A condition, prepared to be evaluated on the rows of a facts file.
indirect enum FactsFormula {
    case all([FactsFormula])
    case any([FactsFormula])
    case not(FactsFormula)
    case segment(Int)
    case leaf(Leaf)

    /// A comparison.
    struct Leaf {
        /// The column of the fact; nil for a fact that only a request has.
        let column: Int?
        let predicate: Predicate
        /// The numbers of the strings with which a string is compared.
        let numbers: [Range<Int>]
    }

    /// What a condition may be for one subscriber. Unknown when it may be neither.
    struct Truth: Equatable {
        var mayBeTrue: Bool
        var mayBeFalse: Bool

        static let open = Truth(mayBeTrue: true, mayBeFalse: true)
        static let unknown = Truth(mayBeTrue: false, mayBeFalse: false)

        init(mayBeTrue: Bool, mayBeFalse: Bool) {
            self.mayBeTrue = mayBeTrue
            self.mayBeFalse = mayBeFalse
        }

        init(_ isTrue: Bool) { self.init(mayBeTrue: isTrue, mayBeFalse: !isTrue) }
    }

    /// Prepares a condition.
    init(_ condition: Condition, _ model: RulesModel, _ facts: LintFacts) {
        switch condition {
        case .all(let children): self = .all(children.map { FactsFormula($0, model, facts) })
        case .any(let children): self = .any(children.map { FactsFormula($0, model, facts) })
        case .not(let child): self = .not(FactsFormula(child, model, facts))
        case .segment(let index): self = .segment(index)
        case .predicate(let predicate):
            var isWhole = true
            if case .part = predicate.operation.operand { isWhole = false }
            let numbers = predicate.operands.compactMap { operand -> Range<Int>? in
                guard case .string(let text) = operand else { return nil }
                return facts.numbers(of: text, isWhole: isWhole)
            }
            self = .leaf(
                Leaf(
                    column: facts.column(of: predicate.fact, in: model),
                    predicate: predicate,
                    numbers: numbers
                )
            )
        }
    }

    /// The columns that the comparisons read, and those of segments.
    func columns(_ segments: [Set<Int>]) -> Set<Int> {
        switch self {
        case .all(let children), .any(let children):
            children.reduce(into: []) { $0.formUnion($1.columns(segments)) }
        case .not(let child): child.columns(segments)
        case .segment(let index): segments.indices.contains(index) ? segments[index] : []
        case .leaf(let leaf): Set([leaf.column].compactMap { $0 })
        }
    }

    /// True when the condition refers to a segment.
    var hasSegment: Bool {
        switch self {
        case .all(let children), .any(let children): children.contains(where: \.hasSegment)
        case .not(let child): child.hasSegment
        case .segment: true
        case .leaf: false
        }
    }

    /// The number of comparisons and groups.
    var size: Int {
        switch self {
        case .all(let children), .any(let children): children.reduce(1) { $0 + $1.size }
        case .not(let child): 1 + child.size
        case .segment, .leaf: 1
        }
    }
}

/// Evaluates formulas on one row.
struct FactsRowEvaluation {
    let file: FactsFile
    let row: FactsRow
    /// The time of the evaluation, milliseconds since 1970.
    let now: Int64
    /// A column that is read in another way than the others.
    let column: Int
    let reading: Reading
    let segments: [FactsFormula]
    /// What the segments are, as far as they were needed.
    private var known: [FactsFormula.Truth?]

    /// How comparisons with ``column`` read it. The missing values of all other columns may be any value.
    enum Reading {
        /// As if the row might have any value there.
        case anyValue
        /// As a decision does, so that a comparison with a missing value is unknown.
        case unknown
    }

    init(
        _ file: FactsFile,
        _ row: FactsRow,
        now: Int64,
        _ column: Int,
        _ reading: Reading,
        segments: [FactsFormula]
    ) {
        self.file = file
        self.row = row
        self.now = now
        self.column = column
        self.reading = reading
        self.segments = segments
        known = Array(repeating: nil, count: segments.count)
    }

    mutating func truth(of formula: FactsFormula) -> FactsFormula.Truth {
        switch formula {
        case .all(let children):
            var truth = FactsFormula.Truth(true)
            for child in children {
                let other = self.truth(of: child)
                truth.mayBeTrue = truth.mayBeTrue && other.mayBeTrue
                truth.mayBeFalse = truth.mayBeFalse || other.mayBeFalse
            }
            return truth
        case .any(let children):
            var truth = FactsFormula.Truth(false)
            for child in children {
                let other = self.truth(of: child)
                truth.mayBeTrue = truth.mayBeTrue || other.mayBeTrue
                truth.mayBeFalse = truth.mayBeFalse && other.mayBeFalse
            }
            return truth
        case .not(let child):
            let truth = truth(of: child)
            return FactsFormula.Truth(mayBeTrue: truth.mayBeFalse, mayBeFalse: truth.mayBeTrue)
        case .segment(let index):
            guard segments.indices.contains(index) else { return .open }
            if let truth = known[index] { return truth }
            let truth = truth(of: segments[index])
            known[index] = truth
            return truth
        case .leaf(let leaf): return truth(of: leaf)
        }
    }

    private func truth(of leaf: FactsFormula.Leaf) -> FactsFormula.Truth {
        // A subscriber of the file has a record.
        if leaf.predicate.fact == .factsFound {
            return leaf.predicate.isTrue(of: .boolean(true)).map { FactsFormula.Truth($0) } ?? .open
        }
        guard let column = leaf.column else { return .open }
        let isPresent = file.isPresent(column: column, row: row)
        if leaf.predicate.operation == .exists {
            return FactsFormula.Truth(leaf.predicate.operands.first == .boolean(isPresent))
        }
        if column == self.column, reading == .anyValue { return .open }
        guard isPresent else { return column == self.column ? .unknown : .open }
        return isTrue(leaf, column).map { FactsFormula.Truth($0) } ?? .open
    }

    /// Returns whether a comparison with the row's value holds; nil when the value alone does not tell.
    private func isTrue(_ leaf: FactsFormula.Leaf, _ column: Int) -> Bool? {
        let predicate = leaf.predicate
        switch file.columns[column].kind {
        case .string:
            guard let number = file.stringNumber(column: column, row: row) else { return nil }
            let isNamed = leaf.numbers.contains { $0.contains(number) }
            return predicate.operation.excludesValues ? !isNamed : isNamed
        case .integer:
            return file.integer(column: column, row: row).flatMap { predicate.isTrue(of: .integer($0)) }
        case .boolean:
            return file.boolean(column: column, row: row).flatMap { predicate.isTrue(of: .boolean($0)) }
        case .date:
            guard let date = file.date(column: column, row: row) else { return nil }
            guard case .days = predicate.operation.operand, case .integer(let days) = predicate.operands.first
            else { return predicate.isTrue(of: .date(date)) }
            let age = now.subtractingReportingOverflow(date)
            guard !age.overflow else { return nil }
            let limit = days * 86_400_000
            return predicate.operation == .olderThanDays ? age.partialValue > limit : age.partialValue < limit
        }
    }
}
