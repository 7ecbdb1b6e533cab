internal import AppStoreServerAPI
internal import JSON
internal import Vocabulary

extension EnvironmentState {
    /// Performs an operation that needs nothing but the state of this environment.
    mutating func perform(_ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        switch call.route {
        case .uploadImage(let text): return try uploadImage(text, call)
        case .deleteImage(let text): return try deleteImage(text)
        case .listImages: return imageList
        case .uploadMessage(let text): return try uploadMessage(text, call)
        case .deleteMessage(let text): return try deleteMessage(text)
        case .listMessages: return messageList
        case .setDefault(let productId, let locale):
            return try setDefault(Self.place(productId, locale), call)
        case .getDefault(let productId, let locale): return try getDefault(Self.place(productId, locale))
        case .deleteDefault(let productId, let locale):
            defaults[try Self.place(productId, locale)] = nil
            return SimulatorAnswer()
        case .getURL:
            guard let realtimeURL else { throw .apple(.realtimeURLNotFound) }
            return SimulatorAnswer(.object([("realtimeURL", .string(realtimeURL))]))
        case .deleteURL:
            realtimeURL = nil
            return SimulatorAnswer()
        case .setURL, .startTest, .getTestResult, .notificationHistory, .requestTestNotification,
            .testNotificationStatus, .subscriptionStatuses, .transactionHistory, .transactionInfo:
            throw .noOperation
        }
    }

    /// Reads an identifier of the path.
    static func identifier(_ text: String) throws(SimulatorProblem) -> UUID {
        guard let identifier = UUID(text) else { throw .badRequest }
        return identifier
    }

    /// Reads a JSON body whose root is an object.
    static func object(_ request: SimulatorRequest) throws(SimulatorProblem) -> JSONValue {
        let limits = JSONLimits(byteCount: SimulatorLimits.jsonByteCount, depth: SimulatorLimits.jsonDepth)
        guard request.hasMediaType("application/json"), let body = request.body,
            let root = try? JSONDocument(parsing: body.span, limits: limits).root, root.kind == .object
        else { throw .badRequest }
        return root
    }
}
