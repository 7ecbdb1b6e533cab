@testable import Authoring
import Facts
import Rules
import Support
import Testing

/// A slow and obvious evaluator of conditions over a few values.
struct Assignment {
    var values: [Fact: FactValue] = [:]
    let now: Int64 = 1_795_219_200_000
    let segments: [RulesModel.Segment]

    /// True, false, or nil for unknown.
    func truth(of condition: Condition) -> Bool? {
        switch condition {
        case .all(let children):
            let all = children.map(truth(of:))
            return all.contains(false) ? false : all.contains(nil) ? nil : true
        case .any(let children):
            let all = children.map(truth(of:))
            return all.contains(true) ? true : all.contains(nil) ? nil : false
        case .not(let child): return truth(of: child).map { !$0 }
        case .segment(let place): return truth(of: segments[place].condition)
        case .predicate(let predicate):
            if predicate.operation == .exists {
                return (values[predicate.fact] != nil) == (predicate.operands == [.boolean(true)])
            }
            return values[predicate.fact].flatMap { holds(predicate, for: $0) }
        }
    }

    /// Returns true when the predicate holds for the value, or nil for `exists` and for operations that are not
    /// predicates.
    private func holds(_ predicate: Predicate, for value: FactValue) -> Bool? {
        let operands = predicate.operands
        let numbers = operands.map { $0.number }
        let number = value.number
        let text = { (value: FactValue) in if case .string(let text) = value { text } else { "" } }
        switch predicate.operation {
        case .equal: return value == operands[0]
        case .notEqual: return value != operands[0]
        case .isIn: return operands.contains(value)
        case .isNotIn: return !operands.contains(value)
        case .prefix: return text(value).hasPrefix(text(operands[0]))
        case .greater: return number > numbers[0]
        case .greaterOrEqual: return number >= numbers[0]
        case .less: return number < numbers[0]
        case .lessOrEqual: return number <= numbers[0]
        case .between: return numbers[0] <= number && number <= numbers[1]
        case .olderThanDays: return now - number > numbers[0] * 86_400_000
        case .youngerThanDays: return now - number < numbers[0] * 86_400_000
        // `truth(of:)` evaluates `exists`. The other operations are not predicates.
        case .exists, .all, .any, .not, .segment: return nil
        }
    }
}

@Suite("Reasoning about conditions")
struct ReasoningTests {
    private static let strings = ["a", "ab", "b"]
    private static let numbers: [Int64] = [.min, 0, 1, 2, .max]
    private static let dates: [Int64] = (0..<4).map { 1_795_219_200_000 - $0 * 43_200_000 }
    private static let facts: [Fact] = [.productId, .declared(0), .declared(1), .declared(2)]

    /// Returns a predicate or a group over four facts, each of a different kind: string, integer, date, boolean.
    private static func condition(_ depth: Int, _ segments: Int, _ random: inout SeededGenerator) -> Condition
    {
        if depth > 0, Int.random(in: 0..<2, using: &random) == 0 {
            let count = Int.random(in: 1...3, using: &random)
            let children = (0..<count).map { _ in condition(depth - 1, segments, &random) }
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .all(children)
            case 1: return .any(children)
            default: return .not(children[0])
            }
        }
        if segments > 0, Int.random(in: 0..<6, using: &random) == 0 {
            return .segment(Int.random(in: 0..<segments, using: &random))
        }
        let fact = facts.randomElement(using: &random) ?? .productId
        return predicate(fact, &random)
    }

    /// Returns a predicate with a random operation that fits the fact.
    private static func predicate(_ fact: Fact, _ random: inout SeededGenerator) -> Condition {
        let kind = value(of: fact, &random).kind
        let operations = ConditionOperation.predicates.filter { $0.fits(kind) }
        let operation = operations.randomElement(using: &random) ?? .exists
        let operands: [FactValue] =
            switch operation.operand {
            case .value, .part: [value(of: fact, &random)]
            case .list: [value(of: fact, &random), value(of: fact, &random)]
            case .flag: [.boolean(Bool.random(using: &random))]
            case .days: [.integer(Int64.random(in: 0...2, using: &random))]
            case .range:
                [value(of: fact, &random), value(of: fact, &random)].sorted {
                    $0.number < $1.number
                }
            case .conditions, .segment: []
            }
        return .predicate(Predicate(fact, operation, operands))
    }

    private static func value(of fact: Fact, _ random: inout SeededGenerator) -> FactValue {
        switch fact {
        case .declared(0): .integer(numbers.randomElement(using: &random) ?? 0)
        case .declared(1): .date(dates.randomElement(using: &random) ?? 0)
        case .declared(2): .boolean(Bool.random(using: &random))
        default: .string(strings.randomElement(using: &random) ?? "")
        }
    }

    @Test("never calls a conclusion implied, or a premise impossible, when a value refutes that")
    func soundness() {
        var random = SeededGenerator(for: "conditions that follow from each other")
        var (followed, impossible) = (0, 0)
        for round in 0..<4000 {
            let inner = Self.condition(2, 0, &random)
            let segments = [
                RulesModel.Segment(name: "0", condition: inner),
                RulesModel.Segment(name: "1", condition: Self.condition(1, 1, &random)),
            ]
            let premise = Self.condition(2, 2, &random)
            // Half of the conclusions contain the premise.
            let other = Self.condition(1, 2, &random)
            let conclusion =
                [other, .any([premise, other]), .not(.not(premise)), other].randomElement(using: &random)
                ?? other
            var reasoning = Reasoning(segments: segments)
            let follows = reasoning.follows(Formula(conclusion), from: Formula(premise))
            let isNever = reasoning.isNeverTrue(Formula(premise))
            followed += follows ? 1 : 0
            impossible += isNever ? 1 : 0
            for _ in 0..<30 {
                var assignment = Assignment(segments: segments)
                for fact in Self.facts where fact == .productId || Int.random(in: 0..<5, using: &random) > 0 {
                    assignment.values[fact] = Self.value(of: fact, &random)
                }
                guard assignment.truth(of: premise) == true else { continue }
                #expect(!isNever, "round \(round): \(premise) with \(assignment.values)")
                guard follows else { continue }
                #expect(
                    assignment.truth(of: conclusion) == true,
                    "round \(round): \(premise) does not imply \(conclusion) with \(assignment.values)")
            }
        }
        #expect(followed > 400 && impossible > 20, "\(followed) \(impossible)")
    }

    /// For each operation, a predicate and a weaker predicate that follows from it.
    static let weaker: [(stronger: Condition, weaker: Condition)] = {
        let (text, number, date) = (Fact.productId, Fact.declared(0), Fact.declared(1))
        return [
            (.equal(text, .string("a")), .isIn(text, [.string("a"), .string("b")])),
            (.notEqual(number, .integer(1)), .not(.isIn(number, [.integer(1)]))),
            (.isIn(text, [.string("a")]), .equal(text, .string("a"))),
            (.isNotIn(text, [.string("a"), .string("b")]), .notEqual(text, .string("a"))),
            (.prefix(text, "ab"), .prefix(text, "a")),
            (.greater(number, .integer(2)), .greater(number, .integer(1))),
            (.greaterOrEqual(number, .integer(2)), .greater(number, .integer(1))),
            (.less(number, .integer(1)), .lessOrEqual(number, .integer(1))),
            (.lessOrEqual(number, .integer(1)), .less(number, .integer(2))),
            (.exists(number, false), .not(.exists(number, true))),
            (.between(number, .integer(1), .integer(2)), .between(number, .integer(0), .integer(2))),
            (.olderThanDays(date, 3), .olderThanDays(date, 2)),
            (.youngerThanDays(date, 2), .youngerThanDays(date, 3)),
        ]
    }()

    @Test("knows for each operation which predicate follows", arguments: ConditionOperation.predicates)
    func weaker(operation: ConditionOperation) throws {
        let rows = Self.weaker.filter { $0.stronger.operation == operation }
        try #require(!rows.isEmpty, "no row for this operation")
        for (stronger, weaker) in rows {
            var reasoning = Reasoning(segments: [])
            let follows = reasoning.follows(Formula(weaker), from: Formula(stronger))
            #expect(follows, "\(stronger)")
            let isItself = reasoning.follows(Formula(.not(.not(stronger))), from: Formula(stronger))
            #expect(isItself, "\(stronger)")
            let isContraposed = reasoning.follows(Formula(.not(stronger)), from: Formula(.not(weaker)))
            #expect(isContraposed, "not \(stronger)")
            // The converse is false, unless the two predicates are equal.
            guard Formula(weaker) != Formula(stronger) else { continue }
            let isConverse = reasoning.follows(Formula(stronger), from: Formula(weaker))
            let isInverse = reasoning.follows(Formula(.not(weaker)), from: Formula(.not(stronger)))
            #expect(!isConverse && !isInverse, "\(stronger) from \(weaker)")
        }
    }

    @Test("ends also for conditions of exponential size")
    func budget() {
        // Each segment names the segment before it twice, so the last segment stands for 2^255 predicates.
        var segments = [RulesModel.Segment(name: "0", condition: .equal(.productId, .string("a")))]
        for place in 1..<256 {
            let pair: Condition = .all([.segment(place - 1), .not(.segment(place - 1))])
            segments.append(RulesModel.Segment(name: "\(place)", condition: pair))
        }
        var reasoning = Reasoning(segments: segments, steps: 100_000)
        let last = Formula(.segment(255))
        let follows = reasoning.follows(Formula(.equal(.productId, .string("c"))), from: last)
        #expect(!follows)
        _ = reasoning.isNeverTrue(last)
        let hasStep = reasoning.step()
        #expect(!hasStep)
    }

    @Test("knows the products that a condition leaves")
    func products() {
        let a: Condition = .equal(.productId, .string("a"))
        let bc: Condition = .isIn(.productId, [.string("b"), .string("c")])
        let ab: Condition = .isIn(.productId, [.string("a"), .string("b")])
        let rows: [(Condition?, ProductSet)] = [
            (nil, .any), (a, .some(["a"])), (.all([a, .exists(.now, true)]), .some(["a"])),
            (.all([ab, bc]), .some(["b"])), (.any([a, bc]), .some(["a", "b", "c"])),
            (.any([a, .exists(.now, true)]), .any), (.not(a), .any), (.all([a, bc]), .some([])),
            (.segment(1), .some(["b"])), (.notEqual(.productId, .string("a")), .any),
        ]
        let segments = SegmentProducts([
            RulesModel.Segment(name: "0", condition: ab),
            RulesModel.Segment(name: "1", condition: .all([.segment(0), bc])),
        ])
        for (condition, expected) in rows { #expect(ProductSet(condition, segments) == expected) }
    }
}
