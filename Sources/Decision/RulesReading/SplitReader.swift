internal import DataFiles
internal import JSON
internal import Vocabulary

/// Reads the splits that divide subscribers by their buckets: rollouts, holdouts and variants.
struct SplitReader {
    let facts: FactTable

    /// Reads a split with a share of the subscribers. The caller has checked the keys.
    func split(_ value: SourceValue) -> RulesModel.Split? {
        let (salt, unit) = saltAndUnit(of: value)
        let share = value.required("basisPoints")?.integer(in: 0...10_000, "basisPoints")
        guard let salt, let unit, let share else { return nil }
        return RulesModel.Split(salt: salt, unit: unit, basisPoints: Int(share))
    }

    /// Reads the arms of a rule. `read` reads the outcome of an arm.
    func variants(_ value: SourceValue, _ read: (SourceValue) -> RulesModel.Outcome?) -> RulesModel.Variants?
    {
        guard value.isObject else { return nil }
        value.checkKeys(.variants)
        let (salt, unit) = saltAndUnit(of: value)
        guard let list = value.required("arms"),
            let elements = list.elements(limit: RulesSourceLimits.armCount)
        else { return nil }
        guard !elements.isEmpty else {
            list.report(.emptyList, "variants without arms")
            return nil
        }
        var names: Set<String> = []
        var weights: [Int64] = []
        let arms = elements.known { arm($0, &names, &weights, read) }
        // The weight of an arm counts even if the arm has other errors. When a weight is missing, the sum is not checked.
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
        _ value: SourceValue, _ names: inout Set<String>, _ weights: inout [Int64],
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

    /// Reads a salt. The hash separates salt and unit by U+001F, so a salt must not contain it. Other control
    /// characters are refused as invisible typing errors.
    private func salt(_ value: SourceValue) -> String? {
        guard let salt = value.string(limitBytes: RulesSourceLimits.stringByteCount) else { return nil }
        guard !Self.hasControl(salt) else {
            value.report(.badSalt, "a control character in a salt")
            return nil
        }
        return salt
    }
}
