internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

extension AppleInventory {
    /// The text that `retentionctl compile --inventory` reads: Apple's lists in one object. Apple does not list which images
    /// a message has, so the catalogue gives them for its own messages.
    public func json(_ catalogue: ResolvedCatalogue) -> JSONNode {
        let bodies = Dictionary(catalogue.messages.map { ($0.identifier, $0.body) }) { first, _ in first }
        let messages = messages.map { message in
            var members: [(String, JSONNode)] = [
                ("messageIdentifier", .string(message.messageIdentifier.description)),
                ("messageState", .string(message.messageState.rawValue)),
            ]
            if let body = bodies[message.messageIdentifier] { members += Self.illustrations(of: body) }
            return JSONNode.object(members)
        }
        let images = images.map { image in
            var members: [(String, JSONNode)] = [
                ("imageIdentifier", .string(image.imageIdentifier.description)),
                ("imageState", .string(image.imageState.rawValue)),
            ]
            if let size = image.imageSize { members.append(("imageSize", .string(size))) }
            return JSONNode.object(members)
        }
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
