/// The first three digits are the HTTP status. Source: Apple's pages for the operations, and the tables of Apple's four
/// server libraries, which alone name 4040005, 4040006 and 5000001.
package struct AppStoreServerAPIErrorCode: Sendable, Hashable, CaseIterable {
    package let rawValue: Int64
    /// Apple's name of the error, from its documentation.
    package let name: String
    /// What it means and what to do; empty where the name and Apple's own message say it.
    package let meaning: String

    private init(_ number: Int64, _ name: String, _ meaning: String = "") {
        (rawValue, self.name, self.meaning) = (number, name, meaning)
    }

    package init?(rawValue: Int64) {
        guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = found
    }

    package var status: Int { Int(rawValue / 10_000) }

    /// True for a refusal that Apple's libraries call retryable: something was not found this time.
    var isRetryable: Bool { name.hasSuffix("RetryableError") }

    package static let invalidAppIdentifier = Self(
        4_000_002, "InvalidAppIdentifierError",
        "The app identifier is not valid. Check that the bundle ID is that of the app.")
    package static let invalidRequestRevision = Self(4_000_005, "InvalidRequestRevisionError")
    package static let invalidTransactionId = Self(
        4_000_006, "BadRequestTransactionIdError",
        "The transaction identifier is malformed. Give a transaction identifier of this environment; "
            + "a performance test needs an original one of Sandbox.")
    package static let startDateTooFarInPast = Self(
        4_000_012, "StartDateTooFarInPastError",
        "The history does not reach back to the start date. Begin at most 180 days ago in Production, "
            + "30 days ago in Sandbox.")
    package static let startDateAfterEndDate = Self(4_000_013, "StartDateAfterEndDateError")
    package static let invalidPaginationToken = Self(4_000_014, "InvalidPaginationTokenError")
    package static let invalidStartDate = Self(4_000_015, "InvalidStartDateError")
    package static let invalidEndDate = Self(4_000_016, "InvalidEndDateError")
    package static let paginationTokenExpired = Self(4_000_017, "PaginationTokenExpiredError")
    package static let invalidNotificationType = Self(4_000_018, "InvalidNotificationTypeError")
    package static let multipleFiltersSupplied = Self(4_000_019, "MultipleFiltersSuppliedError")
    package static let invalidTestNotificationToken = Self(4_000_020, "InvalidTestNotificationTokenError")
    package static let invalidSort = Self(4_000_021, "InvalidSortError")
    package static let invalidProductType = Self(4_000_022, "InvalidProductTypeError")
    package static let invalidProductId = Self(
        4_000_023, "InvalidProductIdError",
        "The product identifier is not valid. Give the product identifier exactly as App Store "
            + "Connect spells it.")
    package static let invalidSubscriptionGroupIdentifier = Self(
        4_000_024, "InvalidSubscriptionGroupIdentifierError")
    package static let invalidExcludeRevoked = Self(4_000_025, "InvalidExcludeRevokedError")
    package static let invalidInAppOwnershipType = Self(4_000_026, "InvalidInAppOwnershipTypeError")
    package static let invalidRevoked = Self(4_000_030, "InvalidRevokedError")
    package static let invalidStatus = Self(4_000_031, "InvalidStatusError")
    package static let appTransactionIdNotSupported = Self(
        4_000_048, "BadRequestAppTransactionIdForUnsupportedEndpointError",
        "The identifier is that of an app transaction. Give the originalTransactionId of a "
            + "subscription instead.")
    package static let invalidImage = Self(
        4_000_161, "InvalidImageError",
        "The image is not valid. Upload a PNG without transparency, 3840 x 160 to 2160 pixels, or "
            + "1024 x 1024 for a bullet point.")
    package static let headerTooLong = Self(4_000_162, "HeaderTooLongError")
    package static let bodyTooLong = Self(4_000_163, "BodyTooLongError")
    package static let invalidLocale = Self(
        4_000_164, "InvalidLocaleError",
        "Apple does not take this locale. Use a code of App Store Connect such as en-US or zh-Hans. "
            + "Upper and lower case matter.")
    package static let altTextTooLong = Self(4_000_175, "AltTextTooLongError")
    package static let familySharedTransaction = Self(
        4_000_185, "BadRequestTransactionIdNotSupportedForFamilySharingError",
        "The transaction belongs to Family Sharing. Give a subscription that its user bought.")
    package static let notOriginalTransactionId = Self(
        4_000_187, "BadRequestTransactionIdNotOtidError",
        "The identifier is not that of an original transaction. Give the originalTransactionId of the "
            + "subscription, not its newest transactionId.")
    package static let invalidPerformanceTestRequest = Self(
        4_000_211, "InvalidPerformanceTestRequestError",
        "The request for a performance test is not valid. Set the URL in Sandbox first, and give the "
            + "originalTransactionId of an active subscription.")
    package static let invalidRequestId = Self(4_000_212, "InvalidRequestIdError")
    package static let performanceTestRuns = Self(
        4_000_213, "ExistingPerformanceTestRunError",
        "Another performance test is running. Wait until that test has ended. Apple runs one test at "
            + "a time.")
    package static let invalidRealtimeURL = Self(
        4_000_215, "BadRequestRealtimeUrlError",
        "The real-time URL is not valid. Give a URL that begins with https:// and has at most 256 "
            + "characters.")
    package static let invalidImageSize = Self(
        4_000_216, "BadRequestImageSizeError",
        "The size of an image does not fit its use. Use a FULL_SIZE image for the message and "
            + "BULLET_POINT images for bullet points.")
    package static let tooManyBulletPoints = Self(4_000_218, "BadRequestTooManyBulletPointsError")
    package static let bulletPointTextTooLong = Self(4_000_219, "BadRequestBulletPointTextTooLongError")
    package static let aboveImageNeedsImage = Self(4_000_224, "BadRequestAboveImageRequiresAnImageError")
    package static let tooManyImages = Self(
        4_030_014, "MaximumNumberOfImagesReachedError",
        "The app has 2000 images, the most that Apple allows. Delete images that no message uses.")
    package static let tooManyMessages = Self(
        4_030_016, "MaximumNumberOfMessagesReachedError",
        "The app has 2000 messages, the most that Apple allows. Delete messages that nothing uses.")
    package static let messageNotApproved = Self(
        4_030_017, "MessageNotApprovedError",
        "Apple has not approved the message. Wait until the list of messages shows it as APPROVED.")
    package static let imageNotApproved = Self(
        4_030_018, "ImageNotApprovedError",
        "Apple has not approved an image of the message. Wait until the list of images shows it as "
            + "APPROVED.")
    package static let imageInUse = Self(
        4_030_019, "ImageInUseError",
        "A message uses the image. Delete every message that names the image first.")
    package static let noPassingTest = Self(
        4_030_026, "ForbiddenNoPassingTestError",
        "No performance test has passed in Sandbox. Run the performance test in Sandbox until its "
            + "result is PASS, then set the URL in Production.")
    package static let accountNotFound = Self(
        4_040_001, "AccountNotFoundError",
        "Apple found no account of the customer. Check the transaction identifier and the "
            + "environment: in Production, it may be of Sandbox.")
    package static let accountNotFoundRetryable = Self(4_040_002, "AccountNotFoundRetryableError")
    package static let appNotFound = Self(
        4_040_003, "AppNotFoundError",
        "Apple found no such app. Check that the bundle ID is that of the app and that the key "
            + "belongs to its team.")
    package static let appNotFoundRetryable = Self(4_040_004, "AppNotFoundRetryableError")
    package static let originalTransactionIdNotFound = Self(
        4_040_005, "OriginalTransactionIdNotFoundError",
        "Apple found no original transaction with this identifier. Check the original transaction "
            + "identifier and the environment: in Production, it may be of Sandbox.")
    package static let originalTransactionIdNotFoundRetryable = Self(
        4_040_006, "OriginalTransactionIdNotFoundRetryableError")
    package static let serverNotificationURLNotFound = Self(
        4_040_007, "ServerNotificationUrlNotFoundError",
        "No URL for notifications is set in this environment. Set the URL for App Store Server "
            + "Notifications in App Store Connect.")
    package static let testNotificationNotFound = Self(
        4_040_008, "TestNotificationNotFoundError",
        "The test notification has expired, or its status is not available yet. Ask again after some "
            + "seconds, or request a new test notification.")
    package static let transactionIdNotFound = Self(
        4_040_010, "TransactionIdNotFoundError",
        "Apple found no transaction with this identifier. Check the transaction identifier, the "
            + "bundle ID and the environment: in Production, it may be of Sandbox.")
    package static let imageNotFound = Self(
        4_040_014, "ImageNotFoundError",
        "This environment has no image with this identifier. Look at the list of images. Each "
            + "environment has its own.")
    package static let messageNotFound = Self(
        4_040_015, "MessageNotFoundError",
        "This environment has no message with this identifier. Look at the list of messages. Each "
            + "environment has its own.")
    package static let performanceTestNotFound = Self(
        4_040_018, "PerformanceTestRunNotFoundError",
        "Apple knows no performance test with this identifier. Give the requestId that the start of "
            + "the test returned, or start a new test.")
    package static let defaultMessageNotFound = Self(
        4_040_020, "DefaultMessageNotFoundError",
        "No default message is set for this product and locale. Set a default message if the product "
            + "needs one.")
    package static let realtimeURLNotFound = Self(
        4_040_021, "RealtimeUrlNotFoundError",
        "No real-time URL is set in this environment. Set the URL if Apple should ask your server.")
    package static let imageAlreadyExists = Self(
        4_090_000, "ImageAlreadyExistsError",
        "An image with this identifier exists. Upload a changed image under a new identifier.")
    package static let messageAlreadyExists = Self(
        4_090_001, "MessageAlreadyExistsError",
        "A message with this identifier exists. Upload a changed message under a new identifier.")
    package static let rateLimitExceeded = Self(
        4_290_000, "RateLimitExceededError",
        "The app has used up its calls of this kind for now. Wait until the time in Retry-After. "
            + "Other programs with the same app count too.")
    package static let internalError = Self(5_000_000, "GeneralInternalError")
    package static let internalErrorRetryable = Self(5_000_001, "GeneralInternalRetryableError")

    package static let allCases: [Self] = [
        .invalidAppIdentifier, .invalidRequestRevision, .invalidTransactionId, .startDateTooFarInPast,
        .startDateAfterEndDate, .invalidPaginationToken, .invalidStartDate, .invalidEndDate,
        .paginationTokenExpired, .invalidNotificationType, .multipleFiltersSupplied,
        .invalidTestNotificationToken, .invalidSort, .invalidProductType, .invalidProductId,
        .invalidSubscriptionGroupIdentifier, .invalidExcludeRevoked, .invalidInAppOwnershipType,
        .invalidRevoked, .invalidStatus, .appTransactionIdNotSupported, .invalidImage, .headerTooLong,
        .bodyTooLong, .invalidLocale, .altTextTooLong, .familySharedTransaction, .notOriginalTransactionId,
        .invalidPerformanceTestRequest, .invalidRequestId, .performanceTestRuns, .invalidRealtimeURL,
        .invalidImageSize, .tooManyBulletPoints, .bulletPointTextTooLong, .aboveImageNeedsImage,
        .tooManyImages, .tooManyMessages, .messageNotApproved, .imageNotApproved, .imageInUse, .noPassingTest,
        .accountNotFound, .accountNotFoundRetryable, .appNotFound, .appNotFoundRetryable,
        .originalTransactionIdNotFound, .originalTransactionIdNotFoundRetryable,
        .serverNotificationURLNotFound, .testNotificationNotFound, .transactionIdNotFound, .imageNotFound,
        .messageNotFound, .performanceTestNotFound, .defaultMessageNotFound, .realtimeURLNotFound,
        .imageAlreadyExists, .messageAlreadyExists, .rateLimitExceeded, .internalError,
        .internalErrorRetryable,
    ]
}
