internal import DataFiles
internal import JSON
internal import Vocabulary
internal import RulesReading

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
