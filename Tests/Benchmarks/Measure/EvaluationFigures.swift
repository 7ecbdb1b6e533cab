internal import Cryptography
internal import Facts
internal import Glibc
internal import Rules
internal import System

/// Measures the cost of one decision, for rules of two sizes.
struct EvaluationFigures {
    private let samples: Int
    /// The number of decisions in one sample, which takes some hundredths of a second.
    private static let count = 20_000

    /// Prepares to take `samples` samples of each figure.
    init(samples: Int) {
        self.samples = samples
    }

    /// Measures 200 rules for one product, of which the last rule matches, and compares 5,000 rules of 300 products
    /// with them.
    func measure() throws -> [Figure] {
        let all = EvaluationRules.forOneProduct(ruleCount: 200)
        let many = EvaluationRules.forProducts(300, ruleCount: 5000)
        let values = try Rounds.measure(
            samples,
            [
                { () throws in try Self.microseconds(all, last: 199) },
                { () throws in try Self.microseconds(many, last: 4950) },
            ]
        )
        return [
            try Figure(
                "processor time of a decision with 200 rules, of which the last matches", values[0],
                unit: "µs",
                bar: .atMost(1.5)),
            try Figure(
                "processor time of a decision with 5,000 rules for 300 products, over that with 200 rules",
                values[1], over: values[0], of: "µs", bar: .atMost(1)),
        ]
    }

    private static func microseconds(_ file: RulesFile, last: Int) throws -> Double {
        let start = threadProcessorNanoseconds()
        var matches = 0
        for _ in 0..<count {
            let decision = decide(EvaluationRules.request, facts: EvaluationRules.facts, using: file)
            if decision.ruleIndex == last { matches += 1 }
        }
        let elapsed = threadProcessorNanoseconds() - start
        guard matches == count else { throw Failure("evaluation: another rule matched") }
        return Double(elapsed) / Double(count) / 1000
    }
}

/// Rules files as large as an app may have them, and a request that only the last rule matches.
enum EvaluationRules {
    static let product = "com.example.product.150.monthly"
    static let now: Int64 = 1_795_219_200_000
    static let paidPeriods = Fact.declared(0)
    static let inTrial = Fact.declared(1)
    static let storefront = Fact.declared(2)

    /// The facts about the subscriber: an integer, a boolean and a string.
    static let facts = SubscriberFacts.literal(
        [.integer(6), .boolean(false), .string("USA")], ageSeconds: 3600)

    static let request = DecisionRequest(
        appAppleId: 531_412, environment: .sandbox, productId: product, userLocale: "en-US",
        originalTransactionId: "2000000012345678", nowMilliseconds: now)

    /// Returns `ruleCount` rules that all name the product. Each rule tests the product, an integer, a boolean and a
    /// string; only the last rule's integer is low enough to match.
    static func forOneProduct(ruleCount: Int) -> RulesFile {
        var model = empty
        for index in 0..<ruleCount {
            let products = [product] + (0..<4).map { "com.example.product.\(index).\($0)" }
            model.rules.append(rule(index, products: products, isLast: index == ruleCount - 1))
        }
        return file(model)
    }

    /// Returns `ruleCount` rules that are spread over `productCount` products. The last rule of the requested product
    /// matches.
    static func forProducts(_ productCount: Int, ruleCount: Int) -> RulesFile {
        var model = empty
        for index in 0..<ruleCount {
            let number = index % productCount
            let isLast = number == 150 && index + productCount >= ruleCount
            model.rules.append(
                rule(index, products: ["com.example.product.\(number).monthly"], isLast: isLast)
            )
        }
        return file(model)
    }

    private static var empty: RulesModel {
        var model = RulesModel(appAppleId: 531_412, bundleId: "com.example", environment: .sandbox)
        model.facts = [
            .init(name: "paidPeriods", kind: .integer), .init(name: "inTrial", kind: .boolean),
            .init(name: "storefront", kind: .string),
        ]
        model.messages = [
            .init(
                name: "reminder", kind: .text,
                identifiers: [.init(locale: "en-US", identifier: UUID(high: 1, low: 2))])
        ]
        return model
    }

    private static func rule(_ index: Int, products: [String], isLast: Bool) -> RulesModel.Rule {
        var rule = RulesModel.Rule(id: "rule_\(index)", outcome: .message(0))
        rule.windowFrom = now - 86_400_000
        rule.windowTo = now + 86_400_000
        rule.condition = .all([
            .predicate(Predicate(.productId, .isIn, products.map { .string($0) })),
            .predicate(Predicate(inTrial, .equal, [.boolean(false)])),
            .predicate(Predicate(storefront, .isIn, [.string("USA"), .string("CAN"), .string("GBR")])),
            .predicate(Predicate(paidPeriods, .greaterOrEqual, [.integer(isLast ? 3 : Int64(7 + index))])),
        ])
        return rule
    }

    private static func file(_ model: RulesModel) -> RulesFile {
        let nothing: [UInt8] = []
        return RulesFile(model, digest: SHA256.hash(nothing.span))
    }
}

/// The processor time of the calling thread.
func threadProcessorNanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
