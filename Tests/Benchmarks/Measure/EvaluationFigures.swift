internal import BenchmarkStatistics
internal import DataFiles
internal import Decisions
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
        guard let pair = PairedSample(subject: values[1], reference: values[0]) else {
            throw Failure("evaluation: no sample")
        }
        return [
            Figure(
                "processor time of a decision with 200 rules, of which the last matches", pair.reference,
                unit: "µs", bar: .atMost(1.5)),
            Figure(
                "processor time of a decision with 5,000 rules for 300 products, over that with 200 rules",
                pair.ratios,
                unit: "ratio",
                bar: .atMost(1),
                remark: FigureTable.number(pair.subject.median) + " µs over "
                    + FigureTable.number(pair.reference.median) + " µs"
            ),
        ]
    }

    private static func microseconds(_ file: RulesFile, last: Int) throws -> Double {
        let start = Clock.threadProcessorNanoseconds()
        var matches = 0
        for _ in 0..<count {
            let decision = decide(EvaluationRules.request, facts: EvaluationRules.facts, using: file)
            if decision.ruleIndex == last { matches += 1 }
        }
        let elapsed = Clock.threadProcessorNanoseconds() - start
        guard matches == count else { throw Failure("evaluation: another rule matched") }
        return Double(elapsed) / Double(count) / 1000
    }
}
