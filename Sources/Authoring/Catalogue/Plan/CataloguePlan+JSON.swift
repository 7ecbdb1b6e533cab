internal import AppStoreServerAPI
package import JSON
internal import System

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
    /// The members of a JSON object about the orphan.
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
