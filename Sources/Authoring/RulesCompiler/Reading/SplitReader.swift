internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads what shares subscribers out by their buckets: rollouts, holdouts and variants.
struct SplitReader {
    let facts: FactTable

    /// A share of the subscribers. The caller has checked the keys.
    func split(_ value: SourceValue) -> RulesModel.Split? {
        let (salt, unit) = saltAndUnit(of: value)
        let share = value.required("basisPoints")?.integer(in: 0...10_000, "basisPoints")
        guard let salt, let unit, let share else { return nil }
        return RulesModel.Split(salt: salt, unit: unit, basisPoints: Int(share))
    }

    /// The arms of a rule, and whose outcome `read` reads.
    func variants(
        _ value: SourceValue,
        _ read: (SourceValue) -> RulesModel.Outcome?
    ) -> RulesModel.Variants? {
        guard value.isObject else { return nil }
        value.checkKeys(.variants)
        let (salt, unit) = saltAndUnit(of: value)
        guard let list = value.required("arms"),
            let elements = list.elements(limit: RulesCompilerLimits.armCount)
        else { return nil }
        guard !elements.isEmpty else {
            list.report(.emptyList, "variants without arms")
            return nil
        }
        var names: Set<String> = []
        var weights: [Int64] = []
        let arms = elements.known { arm($0, &names, &weights, read) }
        // Whatever else is wrong with an arm, its weight counts; without one of them nothing can be said of the sum.
        let sum = weights.reduce(0, +)
        guard weights.count < elements.count || sum == 10_000 else {
            let rest = sum < 10_000 ? "\(10_000 - sum) are missing" : "\(sum - 10_000) are too many"
            list.report(.weightSum, "the weights sum to \(sum), not to 10000", hint: rest)
            return nil
        }
        guard let salt, let unit, let arms else { return nil }
        return RulesModel.Variants(salt: salt, unit: unit, arms: arms)
    }

    private func arm(
        _ value: SourceValue,
        _ names: inout Set<String>,
        _ weights: inout [Int64],
        _ read: (SourceValue) -> RulesModel.Outcome?
    ) -> RulesModel.Arm? {
        guard value.isObject else { return nil }
        value.checkKeys(.arm)
        let name = value.required("name")?.name
        if let name, !names.insert(name).inserted {
            value.member("name")?.report(.duplicateName, "the arm \"\(name)\" stands twice")
        }
        let weight = value.required("weight")?.integer(in: 1...10_000, "a weight")
        if let weight { weights.append(weight) }
        let outcome = value.required("serve").flatMap(read)
        guard let name, let weight, let outcome else { return nil }
        return RulesModel.Arm(name: name, weight: Int(weight), outcome: outcome)
    }

    private func saltAndUnit(of value: SourceValue) -> (salt: String?, unit: Fact?) {
        (value.required("salt").flatMap(salt), facts.unit(of: value))
    }

    fileprivate static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// A salt. U+001F stands between salt and unit when they are hashed, so none has it; other control characters are
    /// typing errors that nobody sees.
    private func salt(_ value: SourceValue) -> String? {
        guard let salt = value.string(limitBytes: RulesCompilerLimits.stringByteCount) else { return nil }
        guard !Self.hasControl(salt) else {
            value.report(.badSalt, "a control character in a salt")
            return nil
        }
        return salt
    }
}

extension RulesCompiler {
    /// Whether a text can be a salt in a source.
    public static func takesSalt(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= RulesCompilerLimits.stringByteCount
            && !SplitReader.hasControl(text)
    }
}
