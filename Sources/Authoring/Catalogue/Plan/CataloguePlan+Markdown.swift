internal import Vocabulary

extension CataloguePlan {
    /// The greatest length in bytes of a plan in Markdown. GitHub takes 65,536 characters in a comment; the rest is for what
    /// a workflow writes around the plan.
    static let markdownByteCount = 60_000

    /// The plan for a pull request, in Markdown. Problems and notes come first. Rows for which there is no room are left out
    /// and counted.
    public func markdown(_ estimate: PlanEstimate) -> String {
        let head = "## Retention messages: `\(bundleId)` in \(environment.rawValue)\n\n"
        let tail = markdownTail(estimate)
        let rows = (findingLines + lines).map(Self.row)
        guard !rows.isEmpty else { return "\(head)Nothing to do.\n\(tail)" }
        var text = "\(head)| | what | details |\n| --- | --- | --- |\n"
        // The sentence about the rows that are left out needs less than 200 bytes.
        var room = Self.markdownByteCount - text.utf8.count - tail.utf8.count - 200
        var shownCount = 0
        for row in rows {
            room -= row.utf8.count
            guard room >= 0 else { break }
            text += row
            shownCount += 1
        }
        if shownCount < rows.count {
            let rest = CountText.of(rows.count - shownCount, "more row")
            text += "\n**\(rest) of \(rows.count) left out:** a comment takes no more. "
            text += "`retentionctl catalogue plan` without `--markdown` shows all of them.\n"
        }
        return text + tail
    }

    private func markdownTail(_ estimate: PlanEstimate) -> String {
        var text = "\n\(Self.escaped(stayingText))\n\n\(Self.escaped(limitsText))\n"
        if hasChanges { text += "\nCalls: \(Self.escaped(estimate.text)).\n" }
        if !orphanLines.isEmpty {
            text += "\n<details><summary>Not in the catalogue</summary>\n\n"
            text += orphanLines.map { "- \(Self.escaped($0))\n" }.joined() + "\n</details>\n"
        }
        return text
    }

    private static func row(_ line: PlanLine) -> String {
        "| \(word(line.sign)) | \(line.kind) | \(escaped(line.words)) |\n"
    }

    private static func word(_ sign: PlanLine.Sign) -> String {
        switch sign {
        case .new: "new"
        case .changed: "replace"
        case .waiting: "wait"
        case .problem: "**problem**"
        case .note: "note"
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
