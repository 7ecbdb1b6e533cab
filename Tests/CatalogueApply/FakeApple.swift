import AppStoreServerAPI
import Catalogue
import HTTPClient
import Support
import System

/// Apple's server in memory: it outlives the processes that ask it.
final class FakeApple {
    /// A fault of a call that changes something.
    enum Fault: CaseIterable {
        /// The call fails and changes nothing: 500.
        case internalError
        /// The work is done and the answer is lost.
        case lostAnswer
        /// The work is done and the answer is 500.
        case internalErrorAfterwards
        /// 429 for longer than the client waits.
        case rateLimited
    }

    var images: [UUID: (state: ReviewState, size: ImageSize)] = [:]
    var messages: [UUID: (state: ReviewState, images: [UUID])] = [:]
    var defaults: [ProductLocale: UUID] = [:]
    var url: String?
    /// True when uploads are approved at once.
    var approves = true
    /// The identifiers that were deleted and are refused.
    var used: Set<UUID> = []
    /// What Apple refuses, by the identifier or the product.
    var refusals: [String: AppStoreServerAPIErrorCode] = [:]
    /// The faults of the next calls that change something; nil for a call without fault.
    var fault: () -> Fault? = { nil }

    /// The errors of the next calls that change nothing; nil for a call without error.
    var outage: () -> AppStoreServerAPIError? = { nil }

    /// How often an upload of an identifier was accepted.
    private(set) var uploadCounts: [UUID: Int] = [:]
    /// The uploads that were refused because the identifier exists.
    private(set) var conflictCount = 0
    /// The default messages that were asked for before their parts were approved.
    private(set) var unapprovedCount = 0
    private(set) var callCounts: [AppStoreServerOperation: Int] = [:]
    /// The operations that changed something, in their order.
    private(set) var log: [AppStoreServerOperation] = []

    /// Approves everything that waits, as Apple's reviewers do.
    func review(_ state: ReviewState = .approved) {
        for key in images.keys where images[key]?.state == .pending { images[key]?.state = state }
        for key in messages.keys where messages[key]?.state == .pending { messages[key]?.state = state }
    }

    /// Connects a process that may be killed.
    func client(_ clock: PointClock = PointClock()) -> FakeClient { FakeClient(apple: self, clock: clock) }

    fileprivate func count(_ operation: AppStoreServerOperation) {
        callCounts[operation, default: 0] += 1
    }

    fileprivate func perform(_ operation: AppStoreServerOperation, _ change: Change)
        throws(AppStoreServerAPIError)
    {
        try change.apply(to: self)
        log.append(operation)
    }

    enum Change {
        case image(UUID, ImageSize)
        case message(UUID, [UUID])
        case deleteImage(UUID)
        case deleteMessage(UUID)
        case setDefault(ProductLocale, UUID?)
        case url(String?)

        func apply(to apple: FakeApple) throws(AppStoreServerAPIError) {
            switch self {
            case .image(let identifier, let size):
                try apple.accept(identifier, exists: apple.images[identifier] != nil, .imageAlreadyExists)
                apple.images[identifier] = (apple.approves ? .approved : .pending, size)
            case .message(let identifier, let images):
                try apple.accept(identifier, exists: apple.messages[identifier] != nil, .messageAlreadyExists)
                guard images.allSatisfy({ apple.images[$0] != nil }) else {
                    throw .refused(AppleRefusal(.imageNotFound))
                }
                apple.messages[identifier] = (apple.approves ? .approved : .pending, images)
            case .deleteImage(let identifier):
                guard apple.images[identifier] != nil else {
                    throw .refused(AppleRefusal(.imageNotFound))
                }
                guard !apple.messages.values.contains(where: { $0.images.contains(identifier) }) else {
                    throw .refused(AppleRefusal(.imageInUse))
                }
                apple.images[identifier] = nil
                apple.used.insert(identifier)
            case .deleteMessage(let identifier):
                guard apple.messages.removeValue(forKey: identifier) != nil else {
                    throw .refused(AppleRefusal(.messageNotFound))
                }
                apple.used.insert(identifier)
            case .setDefault(let place, let identifier): try apple.setDefault(place, identifier)
            case .url(let url): apple.url = url
            }
        }
    }

    private func accept(_ identifier: UUID, exists: Bool, _ conflict: AppStoreServerAPIErrorCode)
        throws(AppStoreServerAPIError)
    {
        if let code = refusals[identifier.description] { throw .refused(AppleRefusal(code)) }
        if exists || used.contains(identifier) {
            conflictCount += 1
            throw .refused(AppleRefusal(conflict))
        }
        uploadCounts[identifier, default: 0] += 1
    }

    private func setDefault(_ place: ProductLocale, _ identifier: UUID?) throws(AppStoreServerAPIError) {
        if let code = refusals[place.product] { throw .refused(AppleRefusal(code)) }
        if let identifier {
            guard let message = messages[identifier] else {
                unapprovedCount += 1
                throw .refused(AppleRefusal(.messageNotFound))
            }
            guard message.state == .approved, message.images.allSatisfy({ images[$0]?.state == .approved })
            else {
                unapprovedCount += 1
                throw .refused(AppleRefusal(.messageNotApproved))
            }
        }
        defaults[place] = identifier
    }
}

/// The client of one process.
final class FakeClient: RetentionMessagingAPI {
    private let apple: FakeApple
    private let clock: PointClock
    private static let killed = AppStoreServerAPIError.transport(.other("killed"))

    init(apple: FakeApple, clock: PointClock) {
        self.apple = apple
        self.clock = clock
    }

    private func change(_ operation: AppStoreServerOperation, _ change: FakeApple.Change)
        throws(AppStoreServerAPIError)
    {
        if clock.isKilled() { throw Self.killed }
        apple.count(operation)
        let fault = apple.fault()
        switch fault {
        case .internalError: throw .refused(AppleRefusal(.internalError))
        case .rateLimited: throw .rateLimited(operation, untilMilliseconds: 1)
        default: break
        }
        try apple.perform(operation, change)
        if clock.isKilled() { throw Self.killed }
        switch fault {
        case .lostAnswer: throw .transport(.timedOut)
        case .internalErrorAfterwards: throw .refused(AppleRefusal(.internalError))
        default: break
        }
    }

    private func read<Answer>(_ operation: AppStoreServerOperation, _ answer: Answer)
        throws(AppStoreServerAPIError) -> Answer
    {
        if clock.isKilled() { throw Self.killed }
        apple.count(operation)
        if let error = apple.outage() { throw error }
        return answer
    }

    func uploadImage(_ png: [UInt8], as identifier: UUID, size: ImageSize) throws(AppStoreServerAPIError)
        -> ChangeOutcome
    {
        try change(.uploadImage, .image(identifier, size))
        return .confirmed
    }

    func deleteImage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try change(.deleteImage, .deleteImage(identifier))
        return .confirmed
    }

    func listImages() throws(AppStoreServerAPIError) -> [ListedImage] {
        try read(
            .listImages,
            apple.images.map { identifier, image in
                ListedImage(
                    imageIdentifier: identifier, imageState: image.state, imageSize: image.size.rawValue)
            }
        )
    }

    func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome
    {
        let images =
            [message.image?.imageIdentifier].compactMap { $0 } + message.bulletPoints.map(\.imageIdentifier)
        try change(.uploadMessage, .message(identifier, images))
        return .confirmed
    }

    func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try change(.deleteMessage, .deleteMessage(identifier))
        return .confirmed
    }

    func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage] {
        try read(
            .listMessages,
            apple.messages.map { ListedMessage(messageIdentifier: $0, messageState: $1.state) }
        )
    }

    func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)
    {
        let place = ProductLocale(product: productId, locale: locale)
        try change(.setDefault, .setDefault(place, messageIdentifier))
    }

    func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID? {
        try read(.getDefault, apple.defaults[ProductLocale(product: productId, locale: locale)])
    }

    func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError) {
        if let code = apple.refusals["url"] { throw .refused(AppleRefusal(code)) }
        try change(.setURL, .url(url))
    }

    func realtimeURL() throws(AppStoreServerAPIError) -> String? { try read(.getURL, apple.url) }
}
