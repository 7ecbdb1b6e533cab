internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

extension CataloguePlan {
    /// The plan as a JSON object.
    public var json: JSONNode {
        .object([
            ("app", .string(bundleId)), ("environment", .string(environment.rawValue)),
            ("steps", .array(steps.map(\.json))),
            ("problems", .array(problems.map(\.json))),
            ("notes", .array(notes.map(\.json))),
            ("staying", stayingJSON),
            ("orphans", .array(orphans.map(\.json))),
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
    /// The members of a JSON object about the item.
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
    /// The estimate as a JSON object.
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
    /// The problem as a JSON object.
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

extension CataloguePlan.Step {
    /// The step as a JSON object.
    var json: JSONNode {
        switch self {
        case .uploadImage(let image):
            .object([
                ("do", .string("uploadImage")), ("identifier", .string(image.identifier.description)),
                ("names", .array(image.names.map { .string($0) })), ("file", .string(image.file)),
                ("size", .string(image.size.rawValue)),
            ])
        case .uploadMessage(let message):
            .object([
                ("do", .string("uploadMessage")), ("identifier", .string(message.identifier.description)),
                ("name", .string(message.name)), ("locale", .string(message.locale)),
            ])
        case .waitForApproval(let items):
            .object([("do", .string("waitForApproval")), ("items", .array(items.map { .object($0.json) }))])
        case .setDefault(let change): change.json
        case .setURL(let former, let url):
            .object([
                ("do", .string("setURL")), ("url", .string(url)),
                ("replaces", former.map { .string($0) } ?? .null),
            ])
        }
    }
}

extension CataloguePlan.DefaultChange {
    /// The change as a JSON object.
    fileprivate var json: JSONNode {
        var members: [(String, JSONNode)] = [
            ("do", .string("setDefault")), ("product", .string(place.product)),
            ("locale", .string(place.locale)),
            ("message", .string(message)), ("identifier", .string(identifier.description)),
        ]
        switch former {
        case .unknown: members.append(("isKnown", .boolean(false)))
        case .unset(let time): members += [("replaces", .null), ("knownSince", .time(time))]
        case .other(let identifier, let time):
            members += [("replaces", .string(identifier.description)), ("knownSince", .time(time))]
        }
        return .object(members)
    }
}
