internal import AppStoreServerAPI
internal import Cryptography
internal import PNG
internal import System

extension EnvironmentState {
    mutating func perform(_ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        let parameters = call.route.parameters
        switch call.route.operation {
        case .uploadImage: return try uploadImage(parameters[0], call)
        case .deleteImage: return try deleteImage(parameters[0])
        case .listImages: return imageList
        case .uploadMessage: return try uploadMessage(parameters[0], call)
        case .deleteMessage: return try deleteMessage(parameters[0])
        case .listMessages: return messageList
        case .setDefault: return try setDefault(Self.place(parameters[0], parameters[1]), call)
        case .getDefault: return try getDefault(Self.place(parameters[0], parameters[1]))
        case .deleteDefault:
            defaults[try Self.place(parameters[0], parameters[1])] = nil
            return SimulatorAnswer()
        case .getURL:
            guard let realtimeURL else { throw .apple(.realtimeURLNotFound) }
            return SimulatorAnswer(json: RealtimeURL(realtimeURL: realtimeURL))
        case .deleteURL:
            realtimeURL = nil
            return SimulatorAnswer()
        default: throw .notFound
        }
    }

    static func identifier(_ text: String) throws(SimulatorAnswer) -> UUID {
        guard let identifier = UUID(text) else { throw .badRequest }
        return identifier
    }
}

extension EnvironmentState {
    /// Upload Image. Source: Apple, Upload Image: a PNG without transparency, 3840 x 160 to 2160 or 1024 x 1024 pixels.
    mutating func uploadImage(_ text: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        let sizes = call.target.values(of: "imageSize")
        guard sizes.count <= 1, let size = ImageSize(rawValue: sizes.first ?? ImageSize.fullSize.rawValue),
            call.request.hasMediaType("image/png"), let body = call.request.body,
            body.count <= SimulatorLimits.imageByteCount, let facts = try? PNGFacts(reading: body.span),
            !facts.mayBeTransparent, Self.fits(facts, size)
        else { throw .apple(.invalidImage) }
        guard images[identifier] == nil, !deletedImages.contains(identifier) else {
            throw .apple(.imageAlreadyExists)
        }
        guard images.count < RetentionMessagingLimits.imageCount else { throw .apple(.tooManyImages) }
        uploadCount += 1
        images[identifier] = StoredImage(
            state: firstState, size: size, width: Int64(facts.width), height: Int64(facts.height),
            byteCount: Int64(body.count), digest: SHA256.hash(body.span).hexadecimal, sequence: uploadCount)
        return SimulatorAnswer()
    }

    /// Delete Image. The messages that name the image must be deleted first.
    mutating func deleteImage(_ text: String) throws(SimulatorAnswer) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        guard images[identifier] != nil else { throw .apple(.imageNotFound) }
        guard !messages.values.contains(where: { $0.images.contains(identifier) }) else {
            throw .apple(.imageInUse)
        }
        images[identifier] = nil
        deletedImages.insert(identifier)
        return SimulatorAnswer()
    }

    var imageList: SimulatorAnswer {
        let list = listedImages.map {
            ListedImage(imageIdentifier: $0, imageState: $1.state, imageSize: $1.size.rawValue)
        }
        return SimulatorAnswer(json: ImageList(imageIdentifiers: list))
    }

    private static func fits(_ facts: PNGFacts, _ size: ImageSize) -> Bool {
        switch size {
        case .fullSize: facts.width == 3840 && (160...2160).contains(facts.height)
        case .bulletPoint: facts.width == 1024 && facts.height == 1024
        }
    }
}

extension EnvironmentState {
    mutating func uploadMessage(_ text: String, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        guard let content = call.request.decoded(UploadMessageRequestBody.self) else { throw .badRequest }
        try Self.checkLimits(content)
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

    /// Checks a message against Apple's limits. A length is the number of UTF-16 units: Apple does not say what it counts. Its
    /// library for Python counts code points and its library for Swift graphemes, of which a text never has more.
    private static func checkLimits(_ content: UploadMessageRequestBody) throws(SimulatorAnswer) {
        typealias Limits = RetentionMessagingLimits
        guard content.header.utf16.count <= Limits.headerLength else { throw .apple(.headerTooLong) }
        guard content.body.utf16.count <= Limits.bodyLength else { throw .apple(.bodyTooLong) }
        guard content.bulletPoints.count <= Limits.bulletPointCount else {
            throw .apple(.tooManyBulletPoints)
        }
        let points = content.bulletPoints
        guard points.allSatisfy({ $0.text.utf16.count <= Limits.bulletPointTextLength }) else {
            throw .apple(.bulletPointTextTooLong)
        }
        let altTexts = [content.image?.altText].compactMap { $0 } + points.map(\.altText)
        guard altTexts.allSatisfy({ $0.utf16.count <= Limits.altTextLength }) else {
            throw .apple(.altTextTooLong)
        }
        guard content.headerPosition != .aboveImage || content.image != nil else {
            throw .apple(.aboveImageNeedsImage)
        }
    }

    /// Delete Message. Apple does not say what becomes of a default that names the message; here it is removed, so that no
    /// default names a message that does not exist.
    mutating func deleteMessage(_ text: String) throws(SimulatorAnswer) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        guard messages.removeValue(forKey: identifier) != nil else { throw .apple(.messageNotFound) }
        deletedMessages.insert(identifier)
        defaults = defaults.filter { $0.value != identifier }
        return SimulatorAnswer()
    }

    var messageList: SimulatorAnswer {
        let list = listedMessages.map { ListedMessage(messageIdentifier: $0, messageState: $1.state) }
        return SimulatorAnswer(json: MessageList(messageIdentifiers: list))
    }

    /// Apple documents no code for an image that does not exist; 4040014 says what is wrong.
    private func check(_ identifier: UUID, is size: ImageSize) throws(SimulatorAnswer) {
        guard let image = images[identifier] else { throw .apple(.imageNotFound) }
        guard image.size == size else { throw .apple(.invalidImageSize) }
    }
}

extension EnvironmentState {
    /// Configure Default Message. The message and all its images must be approved.
    mutating func setDefault(_ place: ProductLocale, _ call: Call) throws(SimulatorAnswer) -> SimulatorAnswer
    {
        guard let identifier = call.request.decoded(DefaultMessage.self)?.messageIdentifier else {
            throw .badRequest
        }
        guard let message = messages[identifier] else { throw .apple(.messageNotFound) }
        guard message.state == .approved else { throw .apple(.messageNotApproved) }
        guard message.images.allSatisfy({ images[$0]?.state == .approved }) else {
            throw .apple(.imageNotApproved)
        }
        defaults[place] = identifier
        return SimulatorAnswer()
    }

    func getDefault(_ place: ProductLocale) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard let identifier = defaults[place] else { throw .apple(.defaultMessageNotFound) }
        return SimulatorAnswer(json: DefaultMessage(messageIdentifier: identifier))
    }

    /// Configure Realtime URL. In Production a performance test must have passed before.
    mutating func setURL(_ call: Call, needsPass: Bool) throws(SimulatorAnswer) -> SimulatorAnswer {
        guard call.request.root != nil else { throw .badRequest }
        guard let url = call.request.decoded(RealtimeURL.self)?.realtimeURL,
            url.utf16.count <= RetentionMessagingLimits.realtimeURLLength, ReceiverURL(url)?.isSecure == true
        else { throw .apple(.invalidRealtimeURL) }
        guard !needsPass else { throw .apple(.noPassingTest) }
        realtimeURL = url
        return SimulatorAnswer()
    }

    /// A product identifier has the characters that App Store Connect takes, and the hyphen of older products.
    static func place(_ productId: String, _ locale: String) throws(SimulatorAnswer) -> ProductLocale {
        guard productId.wholeMatch(of: /[A-Za-z0-9._\-]{1,100}/) != nil else {
            throw .apple(.invalidProductId)
        }
        guard AppStoreLocales.all.contains(locale) else { throw .apple(.invalidLocale) }
        return ProductLocale(product: productId, locale: locale)
    }
}

package enum ReviewDecision: String, Sendable, Hashable, CaseIterable {
    case approve
    case reject

    var state: ReviewState { self == .approve ? .approved : .rejected }
}

struct ReviewedItem: Encodable {
    let identifier: UUID
    let kind: String
    let state: ReviewState
}

extension EnvironmentState {
    /// Also removes the defaults whose message, or its image, is no longer approved.
    mutating func review(_ decision: ReviewDecision, _ isChosen: (UUID, ReviewState) -> Bool)
        -> [ReviewedItem]
    {
        var changed: [ReviewedItem] = []
        for (identifier, image) in listedImages
        where isChosen(identifier, image.state) && image.state != decision.state {
            images[identifier]?.state = decision.state
            changed.append(.init(identifier: identifier, kind: "image", state: decision.state))
        }
        for (identifier, message) in listedMessages
        where isChosen(identifier, message.state) && message.state != decision.state {
            messages[identifier]?.state = decision.state
            changed.append(.init(identifier: identifier, kind: "message", state: decision.state))
        }
        defaults = defaults.filter { isShowable($0.value) }
        return changed
    }

    func isShowable(_ identifier: UUID) -> Bool {
        guard let message = messages[identifier], message.state == .approved else { return false }
        return message.images.allSatisfy { images[$0]?.state == .approved }
    }
}
