internal import AppStoreServerAPI
package import JSON
internal import System

extension CataloguePlan {
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
            ("steps", .array(steps.map(\.json))),
            ("problems", .array(problems.map(\.json))),
            ("staying", stayingJSON),
            ("orphans", .array(orphans.map { .object($0.members) })),
            (
                "formerDefaults",
                .array(
                    formerDefaults.map {
                        .object([("product", .string($0.product)), ("locale", .string($0.locale))])
                    }
                )
            ),
            ("formerURL", formerURL.map { .string($0) } ?? .null),
            (
                "atApple",
                .object([("images", Self.number(imagesAtApple)), ("messages", Self.number(messagesAtApple))])
            ),
            ("estimate", estimate.json),
            (
                "failure",
                failure.map { .object([("code", .string($0.code)), ("message", .string($0.description))]) }
                    ?? .null
            ),
        ])
    }

    private static func number(_ count: Int) -> JSONNode { .integer(Int64(count)) }

    private var stayingJSON: JSONNode {
        .object([
            ("images", Self.number(staying.imageCount)), ("messages", Self.number(staying.messageCount)),
            ("underReview", Self.number(staying.pendingCount)),
            ("defaults", Self.number(staying.defaultCount)),
            ("defaultsKnownSince", staying.oldestDefault.map(JSONNode.time) ?? .null),
            ("realtimeURL", staying.realtimeURL.map { .string($0) } ?? .null),
        ])
    }
}

extension CatalogueItem {
    var json: [(String, JSONNode)] {
        [("kind", .string(kind.rawValue)), ("identifier", .string(identifier.description))]
    }
}

extension JSONNode {
    /// A time as RFC 3339, from milliseconds since 1970.
    static func time(_ milliseconds: Int64) -> JSONNode {
        .string(CivilTime(milliseconds: milliseconds).exactDescription)
    }
}

extension PlanEstimate {
    var json: JSONNode {
        let list = calls.map { call in
            JSONNode.object([
                ("operation", .string(call.operation.rawValue)), ("count", .integer(Int64(call.count))),
                ("perHour", .integer(Int64(call.perHour))),
            ])
        }
        return .object([("calls", .array(list)), ("milliseconds", .integer(milliseconds))])
    }
}

extension PlanProblem {
    var json: JSONNode {
        .object([
            ("code", .string(code)), ("name", .string(name)), ("path", .string(path)),
            ("identifier", item.map { .string($0.identifier.description) } ?? .null),
            ("message", .string(finding.message)), ("hint", finding.hint.map { .string($0) } ?? .null),
            ("revision", proposedRevision.map { .integer($0) } ?? .null),
            ("defaults", .integer(Int64(heldDefaultCount))),
        ])
    }
}

extension CataloguePlan.Orphan {
    fileprivate var members: [(String, JSONNode)] {
        item.json + [("state", .string(state.rawValue)), ("name", name.map { .string($0) } ?? .null)]
    }
}

extension CataloguePlan.Step {
    fileprivate var json: JSONNode { .object(action.json + outcome.json) }
}

extension CataloguePlan.Outcome {
    fileprivate var json: [(String, JSONNode)] {
        func word(_ word: String) -> [(String, JSONNode)] { [("outcome", .string(word))] }
        switch self {
        case .planned: return word("planned")
        case .done: return word("done")
        case .refused(let code, let message):
            return word("refused") + [("code", .string(code)), ("message", .string(message))]
        case .held: return word("held")
        case .waiting: return word("waiting")
        case .kept(let users): return word("kept") + [("users", .array(users.map { .string($0) }))]
        }
    }
}

extension CataloguePlan.Action {
    fileprivate var json: [(String, JSONNode)] {
        switch self {
        case .uploadImage(let image):
            [
                ("do", .string("uploadImage")), ("identifier", .string(image.identifier.description)),
                ("names", .array(image.names.map { .string($0) })), ("file", .string(image.file)),
                ("size", .string(image.size.rawValue)),
            ]
        case .uploadMessage(let message):
            [
                ("do", .string("uploadMessage")), ("identifier", .string(message.identifier.description)),
                ("name", .string(message.name)), ("locale", .string(message.locale)),
            ]
        case .waitForApproval(let items):
            [("do", .string("waitForApproval")), ("items", .array(items.map { .object($0.json) }))]
        case .setDefault(let change): change.json
        case .setURL(let former, let url):
            [
                ("do", .string("setURL")), ("url", .string(url)),
                ("replaces", former.map { .string($0) } ?? .null),
            ]
        case .delete(let orphan): [("do", .string("delete"))] + orphan.members
        }
    }
}

extension CataloguePlan.DefaultChange {
    fileprivate var json: [(String, JSONNode)] {
        let members: [(String, JSONNode)] = [
            ("do", .string("setDefault")), ("product", .string(place.product)),
            ("locale", .string(place.locale)),
            ("message", .string(message)), ("identifier", .string(identifier.description)),
        ]
        switch former {
        case .unknown: return members + [("isKnown", .boolean(false))]
        case .unset(let time): return members + [("replaces", .null), ("knownSince", .time(time))]
        case .other(let identifier, let time):
            return members + [("replaces", .string(identifier.description)), ("knownSince", .time(time))]
        }
    }
}
