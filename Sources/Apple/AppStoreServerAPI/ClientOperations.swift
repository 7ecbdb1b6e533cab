internal import HTTPClient
package import JSON
package import System

package enum ChangeOutcome: String, Sendable, Hashable {
    case confirmed
    /// The answer was lost. The list that the client asked for afterwards shows the change, or Apple's server refused
    /// a second attempt because the change had been made.
    case foundAfterwards
}

/// Those that a catalogue needs, for one app in one environment. Tests and tools can use another implementation.
package protocol RetentionMessagingAPI {
    func uploadImage(_ png: [UInt8], as identifier: UUID, size: ImageSize) throws(AppStoreServerAPIError)
        -> ChangeOutcome

    func deleteImage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome

    func listImages() throws(AppStoreServerAPIError) -> [ListedImage]

    func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome

    func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome

    func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage]

    func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)

    /// Nil when no default message is set (Apple's code 4040020).
    func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID?

    func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError)

    /// Nil when no URL is set (Apple's code 4040021).
    func realtimeURL() throws(AppStoreServerAPIError) -> String?
}

/// They only read. Nothing here verifies a signature: the callers do.
package protocol NotificationRecoveryAPI {
    /// One page of the notifications that Apple has sent, or has tried to send.
    func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse

    func subscriptionStatuses(of anyTransactionId: String) throws(AppStoreServerAPIError)
        -> SubscriptionStatusesResponse

    func transactionHistory(of anyTransactionId: String, revision: String?) throws(AppStoreServerAPIError)
        -> TransactionHistoryResponse
}

extension AppStoreServerClient: RetentionMessagingAPI {
    package func uploadImage(_ png: [UInt8], as identifier: UUID, size: ImageSize)
        throws(AppStoreServerAPIError) -> ChangeOutcome
    {
        let parameters = [("imageIdentifier", identifier.description), ("imageSize", size.rawValue)]
        return try send(APICall(.uploadImage, parameters, body: png)).outcome
    }

    package func deleteImage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try send(APICall(.deleteImage, [("imageIdentifier", identifier.description)])).outcome
    }

    package func listImages() throws(AppStoreServerAPIError) -> [ListedImage] {
        try read(APICall(.listImages), ImageList.self).imageIdentifiers
    }

    package func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome
    {
        let parameters = [("messageIdentifier", identifier.description)]
        return try send(APICall(.uploadMessage, parameters, body: AppleJSON.encode(message))).outcome
    }

    package func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try send(APICall(.deleteMessage, [("messageIdentifier", identifier.description)])).outcome
    }

    package func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage] {
        try read(APICall(.listMessages), MessageList.self).messageIdentifiers
    }

    package func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)
    {
        let body = AppleJSON.encode(DefaultMessage(messageIdentifier: messageIdentifier))
        _ = try send(APICall(.setDefault, [("productId", productId), ("locale", locale)], body: body))
    }

    package func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID? {
        let call = try APICall(.getDefault, [("productId", productId), ("locale", locale)])
        return try readUnless(.defaultMessageNotFound, call, DefaultMessage.self)?.messageIdentifier
    }

    package func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError) {
        _ = try send(APICall(.setURL, body: AppleJSON.encode(RealtimeURL(realtimeURL: url))))
    }

    package func realtimeURL() throws(AppStoreServerAPIError) -> String? {
        try readUnless(.realtimeURLNotFound, APICall(.getURL), RealtimeURL.self)?.realtimeURL
    }
}

extension AppStoreServerClient: NotificationRecoveryAPI {
    package func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse
    {
        let parameters = paginationToken.map { [("paginationToken", $0)] } ?? []
        let call = try APICall(.notificationHistory, parameters, body: AppleJSON.encode(request))
        return try read(call, NotificationHistoryResponse.self)
    }

    /// Has Apple send a notification of the type TEST. Returns its token.
    package func requestTestNotification() throws(AppStoreServerAPIError) -> String {
        try read(APICall(.requestTestNotification), TestNotification.self).testNotificationToken
    }

    /// Nil while Apple has nothing about it (Apple's code 4040008, which an expired token has too).
    package func testNotificationStatus(token: String) throws(AppStoreServerAPIError) -> SentNotification? {
        let call = try APICall(.testNotificationStatus, [("testNotificationToken", token)])
        return try readUnless(.testNotificationNotFound, call, SentNotification.self)
    }

    package func subscriptionStatuses(of anyTransactionId: String) throws(AppStoreServerAPIError)
        -> SubscriptionStatusesResponse
    {
        let call = try APICall(.subscriptionStatuses, [("transactionId", anyTransactionId)])
        return try read(call, SubscriptionStatusesResponse.self)
    }

    package func transactionHistory(of anyTransactionId: String, revision: String?)
        throws(AppStoreServerAPIError) -> TransactionHistoryResponse
    {
        let parameters = [("transactionId", anyTransactionId)] + (revision.map { [("revision", $0)] } ?? [])
        return try read(APICall(.transactionHistory, parameters), TransactionHistoryResponse.self)
    }
}

extension AppStoreServerClient {
    /// Throws the error of the last attempt; `apple.outcome-unknown` when nothing tells whether the work was done.
    package func perform(
        _ operation: AppStoreServerOperation, _ parameters: [(name: String, value: String)], body: [UInt8]?
    ) throws(AppStoreServerAPIError) -> (document: JSONValue?, outcome: ChangeOutcome) {
        try send(APICall(operation, parameters, body: body))
    }

    private func send(_ call: APICall) throws(AppStoreServerAPIError) -> (
        document: JSONValue?, outcome: ChangeOutcome
    ) {
        let once = { () throws(AppStoreServerAPIError) in
            try self.perform(call) { response throws(MalformedAnswer) in
                // The answer to a PUT or a DELETE has nothing to read.
                ["PUT", "DELETE"].contains(call.operation.method)
                    ? nil : try Answers.document(response.body)
            }
        }
        guard let code = call.operation.refusalWhenDone else { return (try once(), .confirmed) }
        return try change(call, refusedWhenDone: code, once)
    }

    private func read<Answer: Decodable>(_ call: APICall, _ type: Answer.Type)
        throws(AppStoreServerAPIError) -> Answer
    {
        try perform(call) { response throws(MalformedAnswer) in try Answers.decode(type, response.body) }
    }

    /// Nil when Apple's server refused with `code`, which means that nothing is set.
    private func readUnless<Answer: Decodable>(
        _ code: AppStoreServerAPIErrorCode, _ call: APICall, _ type: Answer.Type
    ) throws(AppStoreServerAPIError) -> Answer? {
        do throws(AppStoreServerAPIError) {
            return try read(call, type)
        } catch {
            guard error.appleCode == code else { throw error }
            return nil
        }
    }

    /// Makes a change that must not be made twice.
    ///
    /// After a lost answer, the list decides: when it shows the change, the change is done; when it does not, the
    /// client makes the call again. That second call cannot do the work twice either, because its identifier is the
    /// same: if the first call was still on its way, Apple's server refuses the second with `code`.
    private func change(
        _ call: APICall, refusedWhenDone code: AppStoreServerAPIErrorCode,
        _ once: () throws(AppStoreServerAPIError) -> JSONValue?
    ) throws(AppStoreServerAPIError) -> (document: JSONValue?, outcome: ChangeOutcome) {
        guard let identifier = call.identifier.flatMap({ UUID($0) }) else {
            throw .invalid("the \(call.operation.parameters[0]) is not a UUID")
        }
        var lostCount = 0
        while true {
            let failure: AppStoreServerAPIError
            do throws(AppStoreServerAPIError) {
                return (try once(), .confirmed)
            } catch {
                if lostCount > 0, error.appleCode == code { return (nil, .foundAfterwards) }
                guard error.mayHaveBeenDone else { throw error }
                failure = error
            }
            lostCount += 1
            pause(call.operation, after: failure, number: lostCount - 1)
            let isListed = try AppStoreServerAPIError.mapped(
                to: { _ in AppStoreServerAPIError.outcomeUnknown(call.operation, failure) },
                call.operation == .uploadImage || call.operation == .deleteImage
                    ? try listImages().contains { $0.imageIdentifier == identifier }
                    : try listMessages().contains { $0.messageIdentifier == identifier })
            let isUpload = call.operation == .uploadImage || call.operation == .uploadMessage
            if isListed == isUpload { return (nil, .foundAfterwards) }
            guard lostCount < configuration.attemptCount else { throw failure }
        }
    }
}

struct APICall {
    let operation: AppStoreServerOperation
    let path: String
    let body: [UInt8]?
    private let parameters: [(name: String, value: String)]

    /// A parameter that the path does not name goes into the query. Refuses one of the path that is missing, empty, or
    /// dots.
    init(
        _ operation: AppStoreServerOperation, _ parameters: [(name: String, value: String)] = [],
        body: [UInt8]? = nil
    ) throws(AppStoreServerAPIError) {
        self.operation = operation
        self.parameters = parameters
        // A POST says how long its body is even when it has none (RFC 9110, section 8.6).
        self.body = body ?? (operation.method == "POST" ? [] : nil)
        var path = operation.path
        for name in operation.parameters {
            guard let value = parameters.first(where: { $0.name == name })?.value,
                !["", ".", ".."].contains(value)
            else { throw .invalid("the \(name) is missing, or it cannot be in a path") }
            path = path.replacing("{\(name)}", with: Self.percentEncoded(value))
        }
        let query = parameters.filter { !operation.parameters.contains($0.name) }
            .map { "\(Self.percentEncoded($0.name))=\(Self.percentEncoded($0.value))" }
        self.path = query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    var contentType: String? {
        operation == .uploadImage ? "image/png" : body?.isEmpty == false ? "application/json" : nil
    }

    var identifier: String? {
        parameters.first { ["imageIdentifier", "messageIdentifier"].contains($0.name) }?.value
    }

    /// Encodes every byte but the unreserved characters of RFC 3986 section 2.3.
    private static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber)
            let digits = String(byte, radix: 16, uppercase: true)
            encoded +=
                isPlain || "-._~".contains(character)
                ? String(character) : (byte < 16 ? "%0" : "%") + digits
        }
        return encoded
    }
}
