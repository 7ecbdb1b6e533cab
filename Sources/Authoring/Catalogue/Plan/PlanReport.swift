internal import AppStoreServerAPI
package import JSON
internal import System

extension CataloguePlan {
    private static let shownCount = 20

    /// `+` is new, `~` replaced, `.` a wait, `-` deleted, `=` kept, `!` a problem.
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

    /// Default messages of one product that differ in the locale alone are on one line.
    private var lines: [String] {
        var lines: [(start: String, locales: [String], end: String)] = []
        for step in steps {
            guard case .setDefault(let change) = step.action else {
                lines.append((Self.line(step), [], ""))
                continue
            }
            let line = Self.line(change)
            if let last = lines.last, last.start == line.start, last.end == line.end {
                lines[lines.count - 1].locales.append(change.place.locale)
            } else {
                lines.append((line.start, [change.place.locale], line.end))
            }
        }
        return lines.map { $0.start + $0.locales.joined(separator: ", ") + $0.end }
    }

    private static func line(_ change: DefaultChange) -> (start: String, end: String) {
        let words = "default  \(change.place.product) "
        switch change.former {
        case .unset: return ("+ \(words)", ": \(change.message)")
        case .unknown: return ("~ \(words)", ": \(change.message) (what is set is not known)")
        case .other(let identifier, let time):
            return (
                "~ \(words)",
                ": \(change.message), replaces \(identifier) of \(CivilTime(milliseconds: time))"
            )
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
        case .setDefault: return ""
        case .setURL(let former, let url):
            return former.map { "~ url  \(url), replaces \($0)" } ?? "+ url  \(url)"
        case .delete(let orphan):
            guard case .kept(let users) = step.outcome else { return "- delete  \(orphan.title)" }
            return "= keep  \(orphan.title), named by \(users.joined(separator: ", "))"
        }
    }

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

    private var limitsText: String {
        let images = orphans.count { $0.item.kind == .image }
        return "At Apple: \(messagesAtApple) of \(RetentionMessagingLimits.messageCount) messages "
            + "(\(orphans.count - images) not in the catalogue), \(imagesAtApple) of "
            + "\(RetentionMessagingLimits.imageCount) images (\(images) not in the catalogue)."
    }

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

extension CataloguePlan {
    package var json: JSONNode {
        .object([
            ("app", .string(bundleId)), ("environment", .string(environment.rawValue)),
            ("steps", .array(steps.map { .object($0.action.json + $0.outcome.json) })),
            ("problems", .array(problems.map(\.json))),
            (
                "staying",
                .object([
                    ("images", JSONNode(staying.imageCount)), ("messages", JSONNode(staying.messageCount)),
                    ("underReview", JSONNode(staying.pendingCount)),
                    ("defaults", JSONNode(staying.defaultCount)),
                    ("defaultsKnownSince", .time(staying.oldestDefault)),
                    ("realtimeURL", JSONNode(staying.realtimeURL)),
                ])
            ),
            ("orphans", .array(orphans.map { .object($0.members) })),
            ("formerDefaults", .array(formerDefaults.map { .object($0.members) })),
            ("formerURL", JSONNode(formerURL)),
            (
                "atApple",
                .object([("images", JSONNode(imagesAtApple)), ("messages", JSONNode(messagesAtApple))])
            ),
            ("estimate", estimate.json),
            (
                "failure",
                failure.map { .object([("code", .string($0.code)), ("message", .string($0.description))]) }
                    ?? .null
            ),
        ])
    }
}

extension CatalogueItem {
    var json: [(String, JSONNode)] {
        [("kind", .string(kind.rawValue)), ("identifier", .string(identifier.description))]
    }
}

extension ProductLocale {
    var members: [(String, JSONNode)] { [("product", .string(product)), ("locale", .string(locale))] }
}

extension PlanEstimate {
    fileprivate var json: JSONNode {
        let list = calls.map { call in
            JSONNode.object([
                ("operation", .string(call.operation.rawValue)), ("count", JSONNode(call.count)),
                ("perHour", JSONNode(call.perHour)),
            ])
        }
        return .object([("calls", .array(list)), ("milliseconds", .integer(milliseconds))])
    }
}

extension PlanProblem {
    fileprivate var json: JSONNode {
        .object([
            ("code", .string(code)), ("name", .string(name)), ("path", .string(path)),
            ("identifier", JSONNode(item?.identifier.description)),
            ("message", .string(finding.message)), ("hint", JSONNode(finding.hint)),
            ("revision", proposedRevision.map { .integer($0) } ?? .null),
            ("defaults", JSONNode(heldDefaultCount)),
        ])
    }
}

extension CataloguePlan.Orphan {
    fileprivate var members: [(String, JSONNode)] {
        item.json + [("state", .string(state.rawValue)), ("name", JSONNode(name))]
    }
}

extension CataloguePlan.Outcome {
    fileprivate var json: [(String, JSONNode)] {
        let (word, more): (String, [(String, JSONNode)]) =
            switch self {
            case .planned: ("planned", [])
            case .done: ("done", [])
            case .refused(let code, let message):
                ("refused", [("code", .string(code)), ("message", .string(message))])
            case .held: ("held", [])
            case .waiting: ("waiting", [])
            case .kept(let users): ("kept", [("users", .array(users.map { .string($0) }))])
            }
        return [("outcome", .string(word))] + more
    }
}

extension CataloguePlan.Action {
    fileprivate var json: [(String, JSONNode)] {
        let (word, more): (String, [(String, JSONNode)]) =
            switch self {
            case .uploadImage(let image):
                (
                    "uploadImage",
                    [
                        ("identifier", JSONNode(image.identifier.description)),
                        ("names", .array(image.names.map { .string($0) })), ("file", .string(image.file)),
                        ("size", .string(image.size.rawValue)),
                    ]
                )
            case .uploadMessage(let message):
                (
                    "uploadMessage",
                    [
                        ("identifier", JSONNode(message.identifier.description)),
                        ("name", .string(message.name)), ("locale", .string(message.locale)),
                    ]
                )
            case .waitForApproval(let items):
                ("waitForApproval", [("items", .array(items.map { .object($0.json) }))])
            case .setDefault(let change): ("setDefault", change.json)
            case .setURL(let former, let url):
                ("setURL", [("url", .string(url)), ("replaces", JSONNode(former))])
            case .delete(let orphan): ("delete", orphan.members)
            }
        return [("do", .string(word))] + more
    }
}

extension CataloguePlan.DefaultChange {
    fileprivate var json: [(String, JSONNode)] {
        let members =
            place.members + [
                ("message", .string(message)), ("identifier", .string(identifier.description)),
            ]
        switch former {
        case .unknown: return members + [("isKnown", .boolean(false))]
        case .unset(let time): return members + [("replaces", .null), ("knownSince", .time(time))]
        case .other(let identifier, let time):
            return members + [("replaces", JSONNode(identifier.description)), ("knownSince", .time(time))]
        }
    }
}
