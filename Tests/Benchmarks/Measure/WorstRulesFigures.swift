internal import BenchmarkStatistics
internal import DataFileWriting
internal import DataFiles
internal import Decisions
internal import RulesCompiler
internal import System

/// Measures the most expensive rules that are accepted: one decision, and before that the compiler and lint.
struct WorstRulesFigures {
    private let samples: Int

    /// Prepares to take `samples` samples of each figure.
    init(samples: Int) {
        self.samples = samples
    }

    func measure() throws -> [Figure] {
        var worst: (sample: Sample, name: String)?
        var remarks: [String] = []
        for rules in WorstRules.all {
            let file = try rules.file()
            guard let sample = Sample(try (0..<samples).map { _ in try Self.milliseconds(file) }) else {
                throw Failure("worst rules: no sample")
            }
            remarks.append("\(rules.name) \(FigureTable.number(sample.median))")
            if worst.map({ $0.sample.median < sample.median }) ?? true { worst = (sample, rules.name) }
        }
        guard let worst else { throw Failure("worst rules: none") }
        let decision = Figure(
            "processor time of a decision by the worst rules that are accepted",
            worst.sample,
            unit: "ms",
            bar: .atMost(5),
            remark: "in ms: " + remarks.joined(separator: ", ")
        )
        return [decision] + (try compiling())
    }

    private static func milliseconds(_ file: RulesFile) throws -> Double {
        let start = Clock.threadProcessorNanoseconds()
        let decision = decide(WorstRules.request, facts: WorstRules.facts, using: file)
        let elapsed = Clock.threadProcessorNanoseconds() - start
        guard decision.ruleIndex == nil else { throw Failure("worst rules: a rule matched") }
        return Double(elapsed) / 1_000_000
    }

    /// Measures a source of 275 KB: one segment names all products that an app may have, and the other segments name
    /// that segment and each other again and again.
    private func compiling() throws -> [Figure] {
        let source = Self.source()
        let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "benchmark")
        let values = try Rounds.measure(
            samples,
            [
                { try Self.seconds { _ = try RulesCompiler.compile(source, stamp: stamp) } },
                { try Self.seconds { _ = try Lint.findings(in: source, now: EvaluationRules.now) } },
            ]
        )
        return try zip(["compile", "lint"], values).map { name, values in
            guard let sample = Sample(values) else { throw Failure("worst rules: no sample") }
            return Figure(
                "processor time to \(name) rules whose segments name 10,000 products",
                sample,
                unit: "s",
                bar: .atMost(0.5),
                remark: "\(source.count) bytes"
            )
        }
    }

    private static func seconds(_ work: () throws -> Void) throws -> Double {
        let start = Clock.threadProcessorNanoseconds()
        try work()
        return Double(Clock.threadProcessorNanoseconds() - start) / 1_000_000_000
    }

    private static func source() -> [UInt8] {
        let products = (0..<10_000).map { "\"p\($0)\"" }.joined(separator: ",")
        var segments = [#""s0": { "fact": "productId", "in": [\#(products)] }"#]
        for place in 1...12 {
            let others = (0..<963).map { #"{"segment":"s\#($0 % place)"}"# }.joined(separator: ",")
            segments.append(
                #""s\#(place)": { "any": [ { "fact": "productId", "eq": "q\#(place)" }, \#(others) ] }"#
            )
        }
        let app = #""app": { "appAppleId": 531412, "bundleId": "com.example" }, "environment": "Sandbox""#
        let rule = #"{ "id": "r", "when": { "segment": "s12" }, "serve": "none" }"#
        let text =
            #"{ "format": 1, \#(app), "segments": { \#(segments.joined(separator: ",\n")) }, "rules": [ \#(rule) ] }"#
        return Array(text.utf8)
    }
}
