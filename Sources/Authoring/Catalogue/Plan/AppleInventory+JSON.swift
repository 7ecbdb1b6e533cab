internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

extension AppleInventory {
    /// The text that `retentionctl compile --inventory` reads: Apple's lists in one object. Apple does not list which images
    /// a message has, so the catalogue gives them for its own messages.
    public func json(_ catalogue: ResolvedCatalogue) -> JSONNode {
        let bodies = Dictionary(catalogue.messages.map { ($0.identifier, $0.body) }) { first, _ in first }
        let messages = messages.map { message in
            let body = bodies[message.messageIdentifier]
            return JSONNode.object(message.members + (body.map(Self.illustrations) ?? []))
        }
        let images = images.map { JSONNode.object($0.members) }
        return .object([("messageIdentifiers", .array(messages)), ("imageIdentifiers", .array(images))])
    }

    private static func illustrations(of body: UploadMessageRequestBody) -> [(String, JSONNode)] {
        func node(_ identifier: UUID) -> JSONNode {
            .object([("imageIdentifier", .string(identifier.description))])
        }
        var members: [(String, JSONNode)] = []
        if let image = body.image { members.append(("image", node(image.imageIdentifier))) }
        if !body.bulletPoints.isEmpty {
            members.append(("bulletPoints", .array(body.bulletPoints.map { node($0.imageIdentifier) })))
        }
        return members
    }
}
