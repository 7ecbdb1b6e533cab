internal import AppStoreServerAPI
internal import Vocabulary

extension CataloguePlan {
    /// The greatest number of orphans that are listed one by one in a text for people.
    private static let shownOrphanCount = 20

    /// The plan as lines for a terminal.
    public func text(_ estimate: PlanEstimate) -> [String] {
        var text = ["Plan for \(bundleId) in \(environment.rawValue)"]
        text += lines.map { "  \($0.sign.rawValue) \($0.kind)  \($0.words)" }
        if steps.isEmpty { text.append("  nothing to do") }
        text.append(stayingText)
        text += orphanLines.map { "  - \($0)" }
        text.append(limitsText)
        if hasChanges { text.append("Calls: \(estimate.text).") }
        return text
    }

    /// The plan for a pull request, in Markdown.
    public func markdown(_ estimate: PlanEstimate) -> String {
        var text = "## Retention messages: `\(bundleId)` in \(environment.rawValue)\n\n"
        let lines = lines
        if lines.isEmpty {
            text += "Nothing to do.\n"
        } else {
            text += "| | what | details |\n| --- | --- | --- |\n"
            for line in lines {
                text += "| \(Self.word(line.sign)) | \(line.kind) | \(Self.escaped(line.words)) |\n"
            }
        }
        text += "\n\(Self.escaped(stayingText))\n\n\(Self.escaped(limitsText))\n"
        if hasChanges { text += "\nCalls: \(Self.escaped(estimate.text)).\n" }
        if !orphanLines.isEmpty {
            text += "\n<details><summary>Not in the catalogue</summary>\n\n"
            text += orphanLines.map { "- \(Self.escaped($0))\n" }.joined() + "\n</details>\n"
        }
        return text
    }

    /// The orphans and former default messages for people, with the number of those that are left out.
    private var orphanLines: [String] {
        let all = orphans.map(\.title) + formerDefaults.map { "default message of \($0)" }
        guard all.count > Self.shownOrphanCount else { return all }
        return all.prefix(Self.shownOrphanCount) + ["and \(all.count - Self.shownOrphanCount) more"]
    }

    private static func word(_ sign: PlanLine.Sign) -> String {
        switch sign {
        case .new: "new"
        case .changed: "replace"
        case .waiting: "wait"
        case .problem: "**problem**"
        }
    }

    /// Returns a text in which nothing has a meaning in Markdown or HTML, on one line.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in DisplayText.escaped(text).unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "@": result += "&#64;"
            case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "!": result += "\\\(scalar)"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
