internal import HTTPClient
package import JSON
package import System

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
        try read(APICall(.listImages), AnswerReading.images)
    }

    package func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome
    {
        let parameters = [("messageIdentifier", identifier.description)]
        return try send(APICall(.uploadMessage, parameters, body: message.json)).outcome
    }

    package func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try send(APICall(.deleteMessage, [("messageIdentifier", identifier.description)])).outcome
    }

    package func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage] {
        try read(APICall(.listMessages), AnswerReading.messages)
    }

    package func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)
    {
        let body = JSONNode.object([("messageIdentifier", .string(messageIdentifier.description))])
        let parameters = [("productId", productId), ("locale", locale)]
        _ = try send(APICall(.setDefault, parameters, body: body.serialized()))
    }

    package func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID? {
        let call = try APICall(.getDefault, [("productId", productId), ("locale", locale)])
        return try readUnless(.defaultMessageNotFound, call, AnswerReading.defaultMessage)
    }

    package func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError) {
        let body = JSONNode.object([("realtimeURL", .string(url))])
        _ = try send(APICall(.setURL, body: body.serialized()))
    }

    package func realtimeURL() throws(AppStoreServerAPIError) -> String? {
        try readUnless(.realtimeURLNotFound, APICall(.getURL), AnswerReading.realtimeURL)
    }
}

extension AppStoreServerClient: NotificationRecoveryAPI {
    package func notificationHistory(_ request: NotificationHistoryRequest, paginationToken: String?)
        throws(AppStoreServerAPIError) -> NotificationHistoryResponse
    {
        let parameters = paginationToken.map { [("paginationToken", $0)] } ?? []
        let call = try APICall(.notificationHistory, parameters, body: request.json)
        return try read(call, AnswerReading.notificationHistory)
    }

    /// Request a Test Notification: has Apple send a notification of the type TEST. Returns its token.
    package func requestTestNotification() throws(AppStoreServerAPIError) -> String {
        try read(APICall(.requestTestNotification), AnswerReading.testNotificationToken)
    }

    /// Get Test Notification Status: returns the test notification with the attempts to send it, or nil while Apple has
    /// nothing about it (Apple's code 4040008, which an expired token has too).
    package func testNotificationStatus(token: String) throws(AppStoreServerAPIError) -> SentNotification? {
        let call = try APICall(.testNotificationStatus, [("testNotificationToken", token)])
        return try readUnless(.testNotificationNotFound, call, AnswerReading.sent)
    }

    package func subscriptionStatuses(of anyTransactionId: String) throws(AppStoreServerAPIError)
        -> SubscriptionStatusesResponse
    {
        let call = try APICall(.subscriptionStatuses, [("transactionId", anyTransactionId)])
        return try read(call, AnswerReading.subscriptionStatuses)
    }

    package func transactionHistory(of anyTransactionId: String, revision: String?)
        throws(AppStoreServerAPIError) -> TransactionHistoryResponse
    {
        let parameters = [("transactionId", anyTransactionId)] + (revision.map { [("revision", $0)] } ?? [])
        return try read(APICall(.transactionHistory, parameters), AnswerReading.transactionHistory)
    }
}

extension AppStoreServerClient {
    /// Performs any operation.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - parameters: those of the path, and those of the query.
    ///   - body: an image or a JSON text; nil without one.
    /// - Returns: the JSON object of the answer, nil for a PUT or a DELETE, and how the client knows that it was done.
    /// - Throws: the error of the last attempt; `apple.outcome-unknown` when an answer was lost and nothing
    ///   tells whether Apple's server did the work.
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
                    ? nil : try AnswerValue.root(of: response).value
            }
        }
        guard let code = call.operation.refusalWhenDone else { return (try once(), .confirmed) }
        return try change(call, refusedWhenDone: code, once)
    }

    private func read<Answer>(_ call: APICall, _ reading: (AnswerValue) throws(MalformedAnswer) -> Answer)
        throws(AppStoreServerAPIError) -> Answer
    {
        try perform(call) { response throws(MalformedAnswer) in try reading(AnswerValue.root(of: response)) }
    }

    /// Reads an answer. Returns nil when Apple's server refused with `code`, which means that nothing is set.
    private func readUnless<Answer>(
        _ code: AppStoreServerAPIErrorCode, _ call: APICall,
        _ reading: (AnswerValue) throws(MalformedAnswer) -> Answer
    ) throws(AppStoreServerAPIError) -> Answer? {
        do throws(AppStoreServerAPIError) {
            return try read(call, reading)
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
                    : try listMessages().contains { $0.messageIdentifier == identifier }
            )
            let isUpload = call.operation == .uploadImage || call.operation == .uploadMessage
            if isListed == isUpload { return (nil, .foundAfterwards) }
            guard lostCount < configuration.attemptCount else { throw failure }
        }
    }
}
