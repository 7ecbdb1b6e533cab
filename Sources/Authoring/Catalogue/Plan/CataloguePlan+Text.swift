internal import AppStoreServerAPI
internal import System

extension CataloguePlan {
    /// The greatest number of steps or orphans that are listed one by one in a text for people.
    private static let shownCount = 20

    /// The plan as lines for a terminal. A line begins with `+` for something new, `~` for something replaced, `.` for a wait, `-` for
    /// what is deleted, `=` for what is kept, `!` for a problem.
    package var text: [String] {
        var text = ["Plan for \(bundleId) in \(environment.rawValue)"] + lines.map { "  \($0)" }
        text += problems.map { "  ! problem  \($0.finding.text)" }
        if !hasChanges { text.append("  nothing to do") }
        text.append(stayingText)
        let isPruning = steps.contains { if case .delete = $0.action { true } else { false } }
        text += Self.shortened(isPruning ? [] : orphans.map { "  ? \($0.title)" }, indent: "  ")
        text += Self.shortened(formerLines, indent: "  ")
        text.append(limitsText)
        if hasChanges { text.append("Calls: \(estimate.text).") }
        return text
    }

    private static func shortened(_ lines: [String], indent: String) -> [String] {
        let rest = lines.count - shownCount
        return lines.prefix(shownCount) + (rest > 0 ? ["\(indent)and \(rest) more"] : [])
    }

    /// The steps for people. Default messages of one product that get the same message are on one line.
    private var lines: [String] {
        var lines: [String] = []
        var group: [DefaultChange] = []
        func endGroup() {
            if let first = group.first { lines.append(Self.line(first, locales: group.map(\.place.locale))) }
            group = []
        }
        for step in steps {
            guard case .setDefault(let change) = step.action else {
                endGroup()
                lines.append(Self.line(step))
                continue
            }
            if let first = group.first,
                first.place.product != change.place.product || first.message != change.message
                    || !Self.areAlike(first.former, change.former)
            {
                endGroup()
            }
            group.append(change)
        }
        endGroup()
        return lines
    }

    private static func areAlike(_ one: DefaultChange.Former, _ other: DefaultChange.Former) -> Bool {
        switch (one, other) {
        case (.unknown, .unknown), (.unset, .unset), (.other, .other): true
        default: false
        }
    }

    private static func line(_ change: DefaultChange, locales: [String]) -> String {
        let words = "default  \(change.place.product) \(locales.joined(separator: ", ")): \(change.message)"
        switch change.former {
        case .unset: return "+ \(words)"
        case .unknown: return "~ \(words) (what is set is not known)"
        case .other(let identifier, let time):
            let former = locales.count == 1 ? "\(identifier)" : "another message"
            return "~ \(words), replaces \(former) of \(CivilTime(milliseconds: time))"
        }
    }

    private static func line(_ step: Step) -> String {
        switch step.action {
        case .uploadImage(let image):
            return
                "+ image  \(image.names.first ?? "") (\(image.file), \(image.size.rawValue)) as \(image.identifier)"
        case .uploadMessage(let message):
            return "+ message  \(message.name) \(message.locale) as \(message.identifier)"
        case .waitForApproval(let items):
            let images = items.count { $0.kind == .image }
            let words = [(images, "image"), (items.count - images, "message")].filter { $0.0 > 0 }
                .map { CountText.of($0.0, $0.1) }.joined(separator: " and ")
            return ". wait  until Apple has approved \(words)"
        case .setDefault(let change): return line(change, locales: [change.place.locale])
        case .setURL(let former, let url):
            return former.map { "~ url  \(url), replaces \($0)" } ?? "+ url  \(url)"
        case .delete(let orphan):
            guard case .kept(let users) = step.outcome else { return "- delete  \(orphan.title)" }
            return "= keep  \(orphan.title), named by \(users.joined(separator: ", "))"
        }
    }

    /// The URL and the default messages that Apple has and the catalogue no longer names, for people.
    private var formerLines: [String] {
        func line(_ what: String, _ operation: String) -> String {
            let command = "retentionctl apple api \(operation) --environment \(environment.rawValue)"
            return "  ? \(what), which the catalogue does not name; \"\(command)\" ends that"
        }
        return [formerURL.map { line("url \($0)", "deleteURL") }].compactMap { $0 }
            + formerDefaults.map {
                let place = "-f productId=\($0.product) -f locale=\($0.locale)"
                return line("default message of \($0)", "deleteDefault \(place)")
            }
    }

    /// The parts of the catalogue that Apple has already, as a sentence.
    private var stayingText: String {
        var text =
            "Stays: \(CountText.of(staying.imageCount, "image")), "
            + "\(CountText.of(staying.messageCount, "message")) (\(staying.pendingCount) of them under review), "
            + CountText.of(staying.defaultCount, "default message")
        if let time = staying.oldestDefault {
            text += " as known since \(CivilTime(milliseconds: time)); --refresh asks Apple again"
        }
        return text + "."
    }

    /// How full Apple's lists are, as a sentence.
    private var limitsText: String {
        let images = orphans.count { $0.item.kind == .image }
        return "At Apple: \(messagesAtApple) of \(RetentionMessagingLimits.messageCount) messages "
            + "(\(orphans.count - images) not in the catalogue), \(imagesAtApple) of "
            + "\(RetentionMessagingLimits.imageCount) images (\(images) not in the catalogue)."
    }

    /// What became of the steps, as lines for a terminal.
    package var outcomeText: [String] {
        var titles: [Outcome: [String]] = [:]
        var refused: [String] = []
        for step in steps where step.isChange {
            switch step.outcome {
            case .refused(let code, let message): refused.append("  ! \(step.title): \(code): \(message)")
            case .kept(let users):
                refused.append("  = \(step.title): kept, named by \(users.joined(separator: ", "))")
            default: titles[step.outcome, default: []].append("  . \(step.title)")
            }
        }
        func list(_ outcome: Outcome, _ title: String) -> [String] {
            guard let titles = titles[outcome] else { return [] }
            return ["\(title): \(CountText.of(titles.count, "step"))."] + Self.shortened(titles, indent: "  ")
        }
        return ["Done: \(CountText.of(titles[.done]?.count ?? 0, "step"))."] + refused
            + list(.held, "Not done, because they need what was refused")
            + list(
                .waiting, "Not done yet, because Apple has not approved what they need; run apply again later"
            )
            + list(.planned, "Not begun; run apply again")
    }
}
