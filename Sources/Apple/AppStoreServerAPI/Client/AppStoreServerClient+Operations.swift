internal import HTTPClient
public import Vocabulary

extension AppStoreServerClient: RetentionMessagingAPI {
    /// Upload Image: uploads a PNG under an identifier that the caller chooses.
    public func uploadImage(_ png: [UInt8], as identifier: UUID, size: ImageSize)
        throws(AppStoreServerAPIError) -> ChangeOutcome
    {
        try change(.uploadImage(png, identifier, size), refusedWhenDone: .imageAlreadyExists) {
            () throws(AppStoreServerAPIError) in
            try listImages().contains { $0.imageIdentifier == identifier }
        }
    }

    /// Delete Image: deletes an image that no message names.
    public func deleteImage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try change(.deleteImage(identifier), refusedWhenDone: .imageNotFound) {
            () throws(AppStoreServerAPIError) in
            try !listImages().contains { $0.imageIdentifier == identifier }
        }
    }

    /// Get Image List: returns all images of the app in this environment.
    public func listImages() throws(AppStoreServerAPIError) -> [ListedImage] {
        try read(.listImages, AnswerReading.images)
    }

    /// Upload Message: uploads a message under an identifier that the caller chooses.
    public func uploadMessage(_ message: UploadMessageRequestBody, as identifier: UUID)
        throws(AppStoreServerAPIError) -> ChangeOutcome
    {
        try change(.uploadMessage(message, identifier), refusedWhenDone: .messageAlreadyExists) {
            () throws(AppStoreServerAPIError) in
            try listMessages().contains { $0.messageIdentifier == identifier }
        }
    }

    /// Delete Message: deletes a message.
    public func deleteMessage(_ identifier: UUID) throws(AppStoreServerAPIError) -> ChangeOutcome {
        try change(.deleteMessage(identifier), refusedWhenDone: .messageNotFound) {
            () throws(AppStoreServerAPIError) in
            try !listMessages().contains { $0.messageIdentifier == identifier }
        }
    }

    /// Get Message List: returns all messages of the app in this environment.
    public func listMessages() throws(AppStoreServerAPIError) -> [ListedMessage] {
        try read(.listMessages, AnswerReading.messages)
    }

    /// Configure Default Message: sets or replaces the default message of a product in a locale.
    public func setDefaultMessage(_ messageIdentifier: UUID, productId: String, locale: String)
        throws(AppStoreServerAPIError)
    {
        try perform(Self.valid(try APICall.setDefault(messageIdentifier, productId, locale)))
    }

    /// Get Default Message: returns the default message of a product in a locale; nil when none is set.
    public func defaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) -> UUID? {
        let call = try Self.valid(try APICall.getDefault(productId, locale))
        return try readUnless(.defaultMessageNotFound, call, AnswerReading.defaultMessage)
    }

    /// Delete Default Message: removes the default message of a product in a locale.
    public func deleteDefaultMessage(productId: String, locale: String) throws(AppStoreServerAPIError) {
        try perform(Self.valid(try APICall.deleteDefault(productId, locale)))
    }

    /// Configure Realtime URL: sets or replaces the URL that Apple's server asks.
    public func setRealtimeURL(_ url: String) throws(AppStoreServerAPIError) {
        try perform(.setURL(url))
    }

    /// Get Realtime URL: returns the URL that Apple's server asks; nil when none is set.
    public func realtimeURL() throws(AppStoreServerAPIError) -> String? {
        try readUnless(.realtimeURLNotFound, .getURL, AnswerReading.realtimeURL)
    }

    /// Delete Realtime URL: Apple's server then sends no real-time requests in this environment.
    public func deleteRealtimeURL() throws(AppStoreServerAPIError) {
        try perform(.deleteURL)
    }

    /// Initiate Performance Test: starts a test of the Sandbox URL.
    ///
    /// - Throws: `app-store-server-api.outcome-unknown` when the answer was lost. A test may run then; its requestId
    ///   cannot be found out, and Apple refuses another test until it has ended.
    public func startPerformanceTest(
        originalTransactionId: String
    ) throws(AppStoreServerAPIError) -> PerformanceTestResponse {
        try AppStoreServerAPIError.mapped(
            to: { $0.mayHaveBeenDone ? AppStoreServerAPIError.outcomeUnknown(.startTest, $0) : $0 },
            try read(.startTest(originalTransactionId), AnswerReading.performanceTest)
        )
    }

    /// Get Performance Test Results: returns the state and the numbers of a test.
    public func performanceTestResult(
        requestId: String
    ) throws(AppStoreServerAPIError) -> PerformanceTestResultResponse {
        let call = try Self.valid(try APICall.getTestResult(requestId))
        return try read(call, AnswerReading.performanceTestResult)
    }

    /// Returns a call, or the client's error when an argument of it cannot be right.
    static func valid(
        _ call: @autoclosure () throws(InvalidArgument) -> APICall
    ) throws(AppStoreServerAPIError) -> APICall {
        try InvalidArgument.mapped(to: AppStoreServerAPIError.invalid, try call())
    }

    func read<Answer>(_ call: APICall, _ reading: (AnswerValue) throws(MalformedAnswer) -> Answer)
        throws(AppStoreServerAPIError) -> Answer
    {
        try perform(call) { response throws(MalformedAnswer) in
            try reading(AnswerValue.root(of: response.body, isHTML: AnswerJudge.isHTML(response)))
        }
    }

    /// Makes a call whose answer has nothing to read.
    private func perform(_ call: APICall) throws(AppStoreServerAPIError) {
        try perform(call) { _ in () }
    }

    /// Reads an answer. Returns nil when Apple's server refused with `code`, which means that nothing is set.
    func readUnless<Answer>(
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
    /// same: if the first call was still on its way, Apple's server refuses the second with a code that says so.
    ///
    /// - Parameters:
    ///   - call: the upload or delete.
    ///   - code: the code with which Apple's server refuses a change that has been made.
    ///   - isListed: returns true when the list shows the change.
    /// - Returns: how the client knows that the change is done.
    /// - Throws: the error of the last attempt; `app-store-server-api.outcome-unknown` when the list cannot be read
    ///   after a lost answer.
    private func change(
        _ call: APICall, refusedWhenDone code: AppStoreServerAPIErrorCode,
        isListed: () throws(AppStoreServerAPIError) -> Bool
    ) throws(AppStoreServerAPIError) -> ChangeOutcome {
        var lostCount = 0
        while true {
            let failure: AppStoreServerAPIError
            do throws(AppStoreServerAPIError) {
                try perform(call)
                return .confirmed
            } catch {
                if lostCount > 0, error.appleCode == code { return .foundAfterwards }
                guard error.mayHaveBeenDone else { throw error }
                failure = error
            }
            lostCount += 1
            pause(call.operation, after: failure, number: lostCount - 1)
            let isDone = try AppStoreServerAPIError.mapped(
                to: { _ in AppStoreServerAPIError.outcomeUnknown(call.operation, failure) },
                try isListed()
            )
            if isDone { return .foundAfterwards }
            guard lostCount < configuration.attemptCount else { throw failure }
        }
    }
}
