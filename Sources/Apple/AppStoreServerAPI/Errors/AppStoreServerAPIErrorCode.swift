public import Vocabulary

/// The error codes of the operations in ``AppStoreServerOperation``. The first three digits of the number are the HTTP
/// status.
///
/// Source: Apple's pages for the operations, and the tables of Apple's four server libraries, which agree. The libraries
/// alone name 4040005 and 4040006, and 5000001 for the Retention Messaging API.
public struct AppStoreServerAPIErrorCode: CodedError, Hashable, CaseIterable {
    public let rawValue: Int64
    /// The stable code: `apple.` and the name of the constant in kebab-case.
    public let code: String
    /// Apple's name of the error, from its documentation.
    public let name: String
    public let meaning: String
    /// What to do about the error, as a sentence.
    public let advice: String

    private init(_ number: Int64, code: String, _ name: String, _ meaning: String, _ advice: String) {
        rawValue = number
        self.code = code
        self.name = name
        self.meaning = meaning
        self.advice = advice
    }

    /// Finds the code with this number.
    public init?(rawValue: Int64) {
        guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = found
    }

    /// The HTTP status with which Apple sends this code.
    public var status: Int { Int(rawValue / 10_000) }

    // MARK: - The table: number, code, Apple's name, meaning, advice

    public static let invalidAppIdentifier = Self(
        4_000_002, code: "apple.invalid-app-identifier", "InvalidAppIdentifierError",
        "The app identifier is not valid.", "Check that the bundle ID is that of the app.")
    public static let invalidRequestRevision = Self(
        4_000_005, code: "apple.invalid-request-revision", "InvalidRequestRevisionError",
        "The revision is not one that Apple gave.", "Begin with the first page again.")
    public static let invalidTransactionId = Self(
        4_000_006, code: "apple.invalid-transaction-id", "BadRequestTransactionIdError",
        "The transaction identifier is malformed.",
        "Give a transaction identifier of this environment; a performance test needs an original one of Sandbox."
    )
    public static let startDateTooFarInPast = Self(
        4_000_012, code: "apple.start-date-too-far-in-past", "StartDateTooFarInPastError",
        "The history does not reach back to the start date.",
        "Begin at most 180 days ago in Production, 30 days ago in Sandbox.")
    public static let startDateAfterEndDate = Self(
        4_000_013, code: "apple.start-date-after-end-date", "StartDateAfterEndDateError",
        "The start date is not before the end date.", "Give a start date before the end date.")
    public static let invalidPaginationToken = Self(
        4_000_014, code: "apple.invalid-pagination-token", "InvalidPaginationTokenError",
        "The pagination token is not one that Apple gave for this request.",
        "Begin with the first page again, and send the same request for each page.")
    public static let invalidStartDate = Self(
        4_000_015, code: "apple.invalid-start-date", "InvalidStartDateError", "The start date is not valid.",
        "Give the start date in milliseconds since 1970.")
    public static let invalidEndDate = Self(
        4_000_016, code: "apple.invalid-end-date", "InvalidEndDateError", "The end date is not valid.",
        "Give the end date in milliseconds since 1970.")
    public static let paginationTokenExpired = Self(
        4_000_017, code: "apple.pagination-token-expired", "PaginationTokenExpiredError",
        "The pagination token has expired.", "Begin with the first page again.")
    public static let invalidNotificationType = Self(
        4_000_018, code: "apple.invalid-notification-type", "InvalidNotificationTypeError",
        "The notification type or subtype is not valid.",
        "Give a type and a subtype that belong together, as Apple spells them.")
    public static let multipleFiltersSupplied = Self(
        4_000_019, code: "apple.multiple-filters-supplied", "MultipleFiltersSuppliedError",
        "The request has more than one filter.",
        "Give either a notification type or a transaction identifier.")
    public static let invalidTestNotificationToken = Self(
        4_000_020, code: "apple.invalid-test-notification-token", "InvalidTestNotificationTokenError",
        "The token of the test notification is not valid.",
        "Give the token that the request for the test notification returned.")
    public static let invalidSort = Self(
        4_000_021, code: "apple.invalid-sort", "InvalidSortError", "The sort order is not valid.",
        "Give ASCENDING or DESCENDING.")
    public static let invalidProductType = Self(
        4_000_022, code: "apple.invalid-product-type", "InvalidProductTypeError",
        "A product type is not valid.", "Give AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE.")
    public static let invalidProductId = Self(
        4_000_023, code: "apple.invalid-product-id", "InvalidProductIdError",
        "The product identifier is not valid.",
        "Give the product identifier exactly as App Store Connect spells it.")
    public static let invalidSubscriptionGroupIdentifier = Self(
        4_000_024, code: "apple.invalid-subscription-group-identifier",
        "InvalidSubscriptionGroupIdentifierError", "A subscription group identifier is not valid.",
        "Give the number that App Store Connect shows for the group.")
    public static let invalidExcludeRevoked = Self(
        4_000_025, code: "apple.invalid-exclude-revoked", "InvalidExcludeRevokedError",
        "The filter excludeRevoked is not valid.", "Give true or false.")
    public static let invalidInAppOwnershipType = Self(
        4_000_026, code: "apple.invalid-in-app-ownership-type", "InvalidInAppOwnershipTypeError",
        "The ownership type is not valid.", "Give PURCHASED, FAMILY_SHARED or ASSIGNED.")
    public static let invalidRevoked = Self(
        4_000_030, code: "apple.invalid-revoked", "InvalidRevokedError", "The filter revoked is not valid.",
        "Give true or false, or leave the filter out.")
    public static let invalidStatus = Self(
        4_000_031, code: "apple.invalid-status", "InvalidStatusError", "A subscription status is not valid.",
        "Give numbers from 1 to 5.")
    public static let appTransactionIdNotSupported = Self(
        4_000_048, code: "apple.app-transaction-id-not-supported",
        "BadRequestAppTransactionIdForUnsupportedEndpointError",
        "The identifier is that of an app transaction.",
        "Give the originalTransactionId of a subscription instead.")
    public static let invalidImage = Self(
        4_000_161, code: "apple.invalid-image", "InvalidImageError", "The image is not valid.",
        "Upload a PNG without transparency, 3840 x 160 to 2160 pixels, or 1024 x 1024 for a bullet point.")
    public static let headerTooLong = Self(
        4_000_162, code: "apple.header-too-long", "HeaderTooLongError",
        "The header is longer than 66, the limit of Apple.", "Shorten the header.")
    public static let bodyTooLong = Self(
        4_000_163, code: "apple.body-too-long", "BodyTooLongError",
        "The body is longer than 144, the limit of Apple.", "Shorten the body.")
    public static let invalidLocale = Self(
        4_000_164, code: "apple.invalid-locale", "InvalidLocaleError", "Apple does not take this locale.",
        "Use a code of App Store Connect such as en-US or zh-Hans. Upper and lower case matter.")
    public static let altTextTooLong = Self(
        4_000_175, code: "apple.alt-text-too-long", "AltTextTooLongError",
        "An alternative text is longer than 150, the limit of Apple.",
        "Shorten the alternative text of the image or the bullet point.")
    public static let familySharedTransaction = Self(
        4_000_185, code: "apple.family-shared-transaction",
        "BadRequestTransactionIdNotSupportedForFamilySharingError",
        "The transaction belongs to Family Sharing.", "Give a subscription that its user bought.")
    public static let notOriginalTransactionId = Self(
        4_000_187, code: "apple.not-original-transaction-id", "BadRequestTransactionIdNotOtidError",
        "The identifier is not that of an original transaction.",
        "Give the originalTransactionId of the subscription, not its newest transactionId.")
    public static let invalidPerformanceTestRequest = Self(
        4_000_211, code: "apple.invalid-performance-test-request", "InvalidPerformanceTestRequestError",
        "The request for a performance test is not valid.",
        "Set the URL in Sandbox first, and give the originalTransactionId of an active subscription.")
    public static let invalidRequestId = Self(
        4_000_212, code: "apple.invalid-request-id", "InvalidRequestIdError",
        "The identifier of the performance test is malformed.",
        "Give the requestId that the start of the test returned.")
    public static let performanceTestRuns = Self(
        4_000_213, code: "apple.performance-test-runs", "ExistingPerformanceTestRunError",
        "Another performance test is running.",
        "Wait until that test has ended. Apple runs one test at a time.")
    public static let invalidRealtimeURL = Self(
        4_000_215, code: "apple.invalid-realtime-url", "BadRequestRealtimeUrlError",
        "The real-time URL is not valid.",
        "Give a URL that begins with https:// and has at most 256 characters.")
    public static let invalidImageSize = Self(
        4_000_216, code: "apple.invalid-image-size", "BadRequestImageSizeError",
        "The size of an image does not fit its use.",
        "Use a FULL_SIZE image for the message and BULLET_POINT images for bullet points.")
    public static let tooManyBulletPoints = Self(
        4_000_218, code: "apple.too-many-bullet-points", "BadRequestTooManyBulletPointsError",
        "The message has more than 5 bullet points.", "Remove bullet points.")
    public static let bulletPointTextTooLong = Self(
        4_000_219, code: "apple.bullet-point-text-too-long", "BadRequestBulletPointTextTooLongError",
        "The text of a bullet point is longer than 66, the limit of Apple.",
        "Shorten the text of the bullet point.")
    public static let aboveImageNeedsImage = Self(
        4_000_224, code: "apple.above-image-needs-image", "BadRequestAboveImageRequiresAnImageError",
        "The header position is ABOVE_IMAGE, and the message has no image.",
        "Give the message an image, or leave the header position out.")
    public static let tooManyImages = Self(
        4_030_014, code: "apple.too-many-images", "MaximumNumberOfImagesReachedError",
        "The app has 2000 images, the most that Apple allows.", "Delete images that no message uses.")
    public static let tooManyMessages = Self(
        4_030_016, code: "apple.too-many-messages", "MaximumNumberOfMessagesReachedError",
        "The app has 2000 messages, the most that Apple allows.", "Delete messages that nothing uses.")
    public static let messageNotApproved = Self(
        4_030_017, code: "apple.message-not-approved", "MessageNotApprovedError",
        "Apple has not approved the message.", "Wait until the list of messages shows it as APPROVED.")
    public static let imageNotApproved = Self(
        4_030_018, code: "apple.image-not-approved", "ImageNotApprovedError",
        "Apple has not approved an image of the message.",
        "Wait until the list of images shows it as APPROVED.")
    public static let imageInUse = Self(
        4_030_019, code: "apple.image-in-use", "ImageInUseError", "A message uses the image.",
        "Delete every message that names the image first.")
    public static let noPassingTest = Self(
        4_030_026, code: "apple.no-passing-test", "ForbiddenNoPassingTestError",
        "No performance test has passed in Sandbox.",
        "Run the performance test in Sandbox until its result is PASS, then set the URL in Production.")
    public static let accountNotFound = Self(
        4_040_001, code: "apple.account-not-found", "AccountNotFoundError",
        "Apple found no account of the customer.",
        "Check the transaction identifier and the environment: in Production, it may be of Sandbox.")
    public static let accountNotFoundRetryable = Self(
        4_040_002, code: "apple.account-not-found-retryable", "AccountNotFoundRetryableError",
        "Apple did not find the account of the customer this time.", "Try again later.")
    public static let appNotFound = Self(
        4_040_003, code: "apple.app-not-found", "AppNotFoundError", "Apple found no such app.",
        "Check that the bundle ID is that of the app and that the key belongs to its team.")
    public static let appNotFoundRetryable = Self(
        4_040_004, code: "apple.app-not-found-retryable", "AppNotFoundRetryableError",
        "Apple did not find the app this time.", "Try again in some minutes.")
    public static let originalTransactionIdNotFound = Self(
        4_040_005, code: "apple.original-transaction-id-not-found", "OriginalTransactionIdNotFoundError",
        "Apple found no original transaction with this identifier.",
        "Check the original transaction identifier and the environment: in Production, it may be of Sandbox.")
    public static let originalTransactionIdNotFoundRetryable = Self(
        4_040_006, code: "apple.original-transaction-id-not-found-retryable",
        "OriginalTransactionIdNotFoundRetryableError",
        "Apple did not find the original transaction this time.", "Try again a little later.")
    public static let serverNotificationURLNotFound = Self(
        4_040_007, code: "apple.server-notification-url-not-found", "ServerNotificationUrlNotFoundError",
        "No URL for notifications is set in this environment.",
        "Set the URL for App Store Server Notifications in App Store Connect.")
    public static let testNotificationNotFound = Self(
        4_040_008, code: "apple.test-notification-not-found", "TestNotificationNotFoundError",
        "The test notification has expired, or its status is not available yet.",
        "Ask again after some seconds, or request a new test notification.")
    public static let transactionIdNotFound = Self(
        4_040_010, code: "apple.transaction-id-not-found", "TransactionIdNotFoundError",
        "Apple found no transaction with this identifier.",
        "Check the transaction identifier, the bundle ID and the environment: in Production, it may be of Sandbox."
    )
    public static let imageNotFound = Self(
        4_040_014, code: "apple.image-not-found", "ImageNotFoundError",
        "This environment has no image with this identifier.",
        "Look at the list of images. Each environment has its own.")
    public static let messageNotFound = Self(
        4_040_015, code: "apple.message-not-found", "MessageNotFoundError",
        "This environment has no message with this identifier.",
        "Look at the list of messages. Each environment has its own.")
    public static let performanceTestNotFound = Self(
        4_040_018, code: "apple.performance-test-not-found", "PerformanceTestRunNotFoundError",
        "Apple knows no performance test with this identifier.",
        "Give the requestId that the start of the test returned, or start a new test.")
    public static let defaultMessageNotFound = Self(
        4_040_020, code: "apple.default-message-not-found", "DefaultMessageNotFoundError",
        "No default message is set for this product and locale.",
        "Set a default message if the product needs one.")
    public static let realtimeURLNotFound = Self(
        4_040_021, code: "apple.realtime-url-not-found", "RealtimeUrlNotFoundError",
        "No real-time URL is set in this environment.", "Set the URL if Apple should ask your server.")
    public static let imageAlreadyExists = Self(
        4_090_000, code: "apple.image-already-exists", "ImageAlreadyExistsError",
        "An image with this identifier exists.", "Upload a changed image under a new identifier.")
    public static let messageAlreadyExists = Self(
        4_090_001, code: "apple.message-already-exists", "MessageAlreadyExistsError",
        "A message with this identifier exists.", "Upload a changed message under a new identifier.")
    public static let rateLimitExceeded = Self(
        4_290_000, code: "apple.rate-limit-exceeded", "RateLimitExceededError",
        "The app has used up its calls of this kind for now.",
        "Wait until the time in Retry-After. Other programs with the same app count too.")
    public static let internalError = Self(
        5_000_000, code: "apple.internal-error", "GeneralInternalError", "Apple's server failed.",
        "Try again later, and look at Apple's System Status page.")
    public static let internalErrorRetryable = Self(
        5_000_001, code: "apple.internal-error-retryable", "GeneralInternalRetryableError",
        "Apple's server failed for a moment.", "Try again.")

    public static let allCases: [Self] = [
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
