import DataFiles
@testable import RulesCompiler
import Support
import Testing

/// What a condition comes out as, over a handful of values. Slow and obvious.
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
        case .exists(let fact, let isThere): return (values[fact] != nil) == isThere
        default: break
        }
        guard let fact = condition.fact, let value = values[fact] else { return nil }
        let number = value.number ?? 0
        switch condition {
        case .equal(_, let other): return value == other
        case .notEqual(_, let other): return value != other
        case .isIn(_, let list): return list.contains(value)
        case .isNotIn(_, let list): return !list.contains(value)
        case .prefix(_, let text):
            guard case .string(let whole) = value else { return nil }
            return whole.hasPrefix(text)
        case .greater(_, let other): return number > other.number ?? 0
        case .greaterOrEqual(_, let other): return number >= other.number ?? 0
        case .less(_, let other): return number < other.number ?? 0
        case .lessOrEqual(_, let other): return number <= other.number ?? 0
        case .between(_, let low, let high): return low.number ?? 0 <= number && number <= high.number ?? 0
        case .olderThanDays(_, let days): return now - number > days * 86_400_000
        case .youngerThanDays(_, let days): return now - number < days * 86_400_000
        default: return nil
        }
    }
}

@Suite("Reasoning about conditions")
struct ReasoningTests {
    private static let strings = ["a", "ab", "b"]
    private static let numbers: [Int64] = [.min, 0, 1, 2, .max]
    private static let dates: [Int64] = (0..<4).map { 1_795_219_200_000 - $0 * 43_200_000 }
    private static let facts: [Fact] = [.productId, .declared(0), .declared(1), .declared(2)]

    /// A predicate or a group over four facts, each of another kind: string, integer, date, truth.
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
        if Int.random(in: 0..<6, using: &random) == 0 { return .exists(fact, Bool.random(using: &random)) }
        func value() -> FactValue { self.value(of: fact, &random) }
        switch (fact, Int.random(in: 0..<9, using: &random)) {
        case (_, 0): return .equal(fact, value())
        case (_, 1): return .notEqual(fact, value())
        case (_, 2): return .isIn(fact, [value(), value()])
        case (_, 3): return .isNotIn(fact, [value(), value()])
        case (.productId, _): return .prefix(fact, ["a", "ab", "b"].randomElement(using: &random) ?? "a")
        case (.declared(2), _): return .equal(fact, value())
        case (.declared(1), 4): return .olderThanDays(fact, Int64.random(in: 0...2, using: &random))
        case (.declared(1), 5): return .youngerThanDays(fact, Int64.random(in: 0...2, using: &random))
        case (_, 4): return .greater(fact, value())
        case (_, 5): return .greaterOrEqual(fact, value())
        case (_, 6): return .less(fact, value())
        case (_, 7): return .lessOrEqual(fact, value())
        default:
            let (one, other) = (value(), value())
            let isOrdered = one.number ?? 0 <= other.number ?? 0
            return .between(fact, isOrdered ? one : other, isOrdered ? other : one)
        }
    }

    private static func value(of fact: Fact, _ random: inout SeededGenerator) -> FactValue {
        switch fact {
        case .declared(0): .integer(numbers.randomElement(using: &random) ?? 0)
        case .declared(1): .date(dates.randomElement(using: &random) ?? 0)
        case .declared(2): .boolean(Bool.random(using: &random))
        default: .string(strings.randomElement(using: &random) ?? "")
        }
    }

    @Test("never says that something follows or cannot be where it does not or can")
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
            // Half of the time something that has to do with the premise.
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
                    "round \(round): \(premise) does not imply \(conclusion) with \(assignment.values)"
                )
            }
        }
        #expect(followed > 400 && impossible > 20, "\(followed) \(impossible)")
    }

    @Test("ends also with conditions that grow without end")
    func budget() {
        // Each segment names the one before twice: the last one has more predicates than there are atoms.
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
        let segments = ProductSet.sets(of: [
            RulesModel.Segment(name: "0", condition: ab),
            RulesModel.Segment(name: "1", condition: .all([.segment(0), bc])),
        ])
        for (condition, expected) in rows { #expect(ProductSet(condition, segments) == expected) }
    }
}
