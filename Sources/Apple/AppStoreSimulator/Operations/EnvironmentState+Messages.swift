internal import AppStoreServerAPI
internal import JSON
internal import System

extension EnvironmentState {
    mutating func uploadMessage(_ text: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        let content = try MessageReading.content(Self.object(call.request))
        if let image = content.image { try check(image.imageIdentifier, is: .fullSize) }
        for point in content.bulletPoints { try check(point.imageIdentifier, is: .bulletPoint) }
        guard messages[identifier] == nil, !deletedMessages.contains(identifier) else {
            throw .apple(.messageAlreadyExists)
        }
        guard messages.count < RetentionMessagingLimits.messageCount else { throw .apple(.tooManyMessages) }
        uploadCount += 1
        messages[identifier] = StoredMessage(state: firstState, content: content, sequence: uploadCount)
        return SimulatorAnswer()
    }

    /// Delete Message. Apple does not say what becomes of a default that names the message; here it is removed, so that no
    /// default names a message that does not exist.
    mutating func deleteMessage(_ text: String) throws(SimulatorProblem) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        guard messages.removeValue(forKey: identifier) != nil else { throw .apple(.messageNotFound) }
        deletedMessages.insert(identifier)
        defaults = defaults.filter { $0.value != identifier }
        return SimulatorAnswer()
    }

    /// The answer of Get Message List.
    var messageList: SimulatorAnswer {
        let list = listedMessages.map { identifier, message in
            JSONNode.object([
                ("messageIdentifier", .string(identifier.description)),
                ("messageState", .string(message.state.rawValue)),
            ])
        }
        return SimulatorAnswer(.object([("messageIdentifiers", .array(list))]))
    }

    /// Checks that an image exists and has the size that its place needs. Apple documents no code for an image that does not
    /// exist; 4040014 says what is wrong.
    private func check(_ identifier: UUID, is size: ImageSize) throws(SimulatorProblem) {
        guard let image = images[identifier] else { throw .apple(.imageNotFound) }
        guard image.size == size else { throw .apple(.invalidImageSize) }
    }
}

/// Reads the body of Upload Message. Members that Apple does not document are ignored, and `null` is as good as no member.
enum MessageReading {
    /// Reads a body and checks it against Apple's limits.
    static func content(_ root: JSONValue) throws(SimulatorProblem) -> UploadMessageRequestBody {
        var content = UploadMessageRequestBody(
            header: try text(root, "header", limit: RetentionMessagingLimits.headerLength, .headerTooLong),
            body: try text(root, "body", limit: RetentionMessagingLimits.bodyLength, .bodyTooLong))
        if let image = optional(root, "image") {
            content.image = .init(imageIdentifier: try identifier(image), altText: try altText(image))
        }
        if let position = optional(root, "headerPosition") {
            guard let position = position.string.flatMap(UploadMessageRequestBody.HeaderPosition.init) else {
                throw .badRequest
            }
            content.headerPosition = position
        }
        if let points = optional(root, "bulletPoints") { content.bulletPoints = try bulletPoints(points) }
        if content.headerPosition == .aboveImage, content.image == nil {
            throw .apple(.aboveImageNeedsImage)
        }
        return content
    }

    private static func bulletPoints(
        _ list: JSONValue
    ) throws(SimulatorProblem) -> [UploadMessageRequestBody.BulletPoint] {
        guard list.kind == .array else { throw .badRequest }
        guard list.count <= RetentionMessagingLimits.bulletPointCount else {
            throw .apple(.tooManyBulletPoints)
        }
        var points: [UploadMessageRequestBody.BulletPoint] = []
        for element in list.elements {
            let text = try text(
                element, "text", limit: RetentionMessagingLimits.bulletPointTextLength,
                .bulletPointTextTooLong)
            points.append(
                .init(text: text, imageIdentifier: try identifier(element), altText: try altText(element))
            )
        }
        return points
    }

    private static func identifier(_ object: JSONValue) throws(SimulatorProblem) -> UUID {
        guard let text = object.member("imageIdentifier")?.string, let identifier = UUID(text) else {
            throw .badRequest
        }
        return identifier
    }

    private static func altText(_ object: JSONValue) throws(SimulatorProblem) -> String {
        try text(object, "altText", limit: RetentionMessagingLimits.altTextLength, .altTextTooLong)
    }

    /// Reads a text and counts its UTF-16 units. Apple does not say what it counts. Its library for Python counts code points
    /// and its library for Swift graphemes, of which a text never has more than UTF-16 units.
    private static func text(
        _ object: JSONValue, _ name: StaticString, limit: Int, _ code: AppStoreServerAPIErrorCode
    ) throws(SimulatorProblem) -> String {
        guard let text = object.member(name)?.string else { throw .badRequest }
        guard text.utf16.count <= limit else { throw .apple(code) }
        return text
    }

    private static func optional(_ object: JSONValue, _ name: StaticString) -> JSONValue? {
        object.member(name).flatMap { $0.kind == .null ? nil : $0 }
    }
}
