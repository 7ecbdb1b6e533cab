internal import JSON
internal import Rules
internal import System

/// Finds splits that are not independent of each other, a holdout of everyone, and rollouts that reach nobody.
struct SplitLint {
    let model: RulesModel
    let now: Int64
    let findings: Findings

    func check() {
        var first: [ByteComparedString: String] = [:]
        for (salt, path) in salts {
            guard let other = first[ByteComparedString(salt)] else {
                first[ByteComparedString(salt)] = path.text
                continue
            }
            findings.add(
                .repeatedSalt, "the salt \"\(salt)\" is also that of \(other)", at: path + [.member("salt")],
                hint: "the same subscribers are first in both; a salt of its own makes them independent")
        }
        checkShares()
    }

    private func checkShares() {
        if let holdout = model.holdout, holdout.split.basisPoints == 10_000, now < holdout.until ?? .max {
            let path: JSONPath = [.member("holdout"), .member("basisPoints")]
            let hint = "10000 is all of them, 1000 a tenth"
            findings.add(.everyoneHeldOut, "everyone is held out", at: path, hint: hint)
        }
        for (index, rule) in model.rules.enumerated() where rule.isEnabled && rule.rollout?.basisPoints == 0 {
            let path: JSONPath = [
                .member("rules"), .index(index), .member("rollout"), .member("basisPoints"),
            ]
            findings.add(.unreachableRule, "the rollout of \"\(rule.id)\" reaches nobody", at: path)
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

/// Finds windows and holdouts that are over.
struct TimeLint {
    let model: RulesModel
    let now: Int64
    let findings: Findings

    func check() {
        for (index, rule) in model.rules.enumerated() where rule.isEnabled {
            guard let end = rule.windowTo, end <= now else { continue }
            let path: JSONPath = [.member("rules"), .index(index), .member("window"), .member("to")]
            let text = "the window of \"\(rule.id)\" is over since \(CivilTime(milliseconds: end))"
            findings.add(.expiredWindow, text, at: path)
        }
        if let end = model.holdout?.until, end <= now {
            let path: JSONPath = [.member("holdout"), .member("until")]
            let text = "nobody is held out since \(CivilTime(milliseconds: end))"
            findings.add(.expiredHoldout, text, at: path)
        }
    }
}
