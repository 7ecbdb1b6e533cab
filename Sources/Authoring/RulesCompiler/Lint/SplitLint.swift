internal import DataFiles
internal import JSON

/// Looks for splits that are not independent of each other.
struct SplitLint {
    let model: RulesModel
    let findings: LintFindings

    func check() {
        var first: [String: String] = [:]
        for (salt, path) in salts {
            guard let other = first[salt] else {
                first[salt] = path.text
                continue
            }
            findings.add(
                .repeatedSalt,
                "the salt \"\(salt)\" is also that of \(other)",
                at: path + [.member("salt")],
                hint: "the same subscribers are first in both; a salt of its own makes them independent"
            )
        }
    }

    private var salts: [(salt: String, path: JSONPath)] {
        var salts: [(salt: String, path: JSONPath)] = []
        if let holdout = model.holdout { salts.append((holdout.split.salt, [.member("holdout")])) }
        for (index, rule) in model.rules.enumerated() {
            let path: JSONPath = [.member("rules"), .index(index)]
            if let rollout = rule.rollout { salts.append((rollout.salt, path + [.member("rollout")])) }
            if case .variants(let variants) = rule.choice {
                salts.append((variants.salt, path + [.member("variants")]))
            }
        }
        return salts
    }
}
