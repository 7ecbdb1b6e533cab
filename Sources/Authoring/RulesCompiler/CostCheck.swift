internal import DataFileWriting
internal import DataFiles
internal import JSON

/// Refuses rules with which one decision, or all embedded tests together, could take too long. The loader refuses them too.
enum CostCheck {
    static func check(_ model: RulesModel, _ root: SourceValue) {
        // The file is measured and never stored, so the values of its stamp do not matter.
        let stamp = DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "")
        let bytes = RulesFileWriter.write(model, stamp: stamp)
        guard let file = try? RulesFile(bytes: bytes, check: .structure) else { return }
        let cost = DecisionCost(of: file)
        if let test = cost.testIndex {
            root.findings.add(
                .tooMuchWork,
                "with this test all tests can take more than \(DataFileLimits.testsStepCount) steps, \(2 * cost.stepCount) each",
                at: [.member("tests"), .index(test)],
                hint: "fewer tests, or fewer rules for one product"
            )
        }
        guard let rule = cost.ruleIndex else { return }
        let path: JSONPath = model.rules.isEmpty ? [] : [.member("rules"), .index(rule)]
        root.findings.add(
            .tooMuchWork,
            "with this rule a decision can take \(cost.stepCount) steps, more than \(DataFileLimits.decisionStepCount)",
            at: path,
            hint:
                "fewer rules for one product, shorter lists and salts, fewer fallbacks from locale to locale"
        )
    }
}
