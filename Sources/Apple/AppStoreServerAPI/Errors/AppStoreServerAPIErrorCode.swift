public import Vocabulary

/// The error codes of the operations in ``AppStoreServerOperation``. The first three digits of the number are the HTTP
/// status.
///
/// Source: Apple's pages for the operations, and the tables of Apple's four server libraries, which agree. The libraries
/// alone name 4040005 and 4040006, and 5000001 for the Retention Messaging API.
public enum AppStoreServerAPIErrorCode: Int64, CodedError, Hashable, CaseIterable {
    /// The app identifier is not valid.
    case invalidAppIdentifier = 4_000_002
    /// The revision is not one that Apple gave.
    case invalidRequestRevision = 4_000_005
    /// The transaction identifier is malformed.
    case invalidTransactionId = 4_000_006
    /// The history does not reach back to the start date.
    case startDateTooFarInPast = 4_000_012
    /// The start date is not before the end date.
    case startDateAfterEndDate = 4_000_013
    /// The pagination token is not one that Apple gave for this request.
    case invalidPaginationToken = 4_000_014
    /// The start date is not valid.
    case invalidStartDate = 4_000_015
    /// The end date is not valid.
    case invalidEndDate = 4_000_016
    /// The pagination token has expired.
    case paginationTokenExpired = 4_000_017
    /// The notification type or subtype is not valid.
    case invalidNotificationType = 4_000_018
    /// The request has more than one filter.
    case multipleFiltersSupplied = 4_000_019
    /// The token of the test notification is not valid.
    case invalidTestNotificationToken = 4_000_020
    /// The sort order is not valid.
    case invalidSort = 4_000_021
    /// A product type is not valid.
    case invalidProductType = 4_000_022
    /// The product identifier is not valid.
    case invalidProductId = 4_000_023
    /// A subscription group identifier is not valid.
    case invalidSubscriptionGroupIdentifier = 4_000_024
    /// The filter excludeRevoked is not valid.
    case invalidExcludeRevoked = 4_000_025
    /// The ownership type is not valid.
    case invalidInAppOwnershipType = 4_000_026
    /// The filter revoked is not valid.
    case invalidRevoked = 4_000_030
    /// A subscription status is not valid.
    case invalidStatus = 4_000_031
    /// The identifier is that of an app transaction.
    case appTransactionIdNotSupported = 4_000_048
    /// The image is not valid.
    case invalidImage = 4_000_161
    /// The header is longer than 66, the limit of Apple.
    case headerTooLong = 4_000_162
    /// The body is longer than 144, the limit of Apple.
    case bodyTooLong = 4_000_163
    /// Apple does not take this locale.
    case invalidLocale = 4_000_164
    /// An alternative text is longer than 150, the limit of Apple.
    case altTextTooLong = 4_000_175
    /// The transaction belongs to Family Sharing.
    case familySharedTransaction = 4_000_185
    /// The identifier is not that of an original transaction.
    case notOriginalTransactionId = 4_000_187
    /// The request for a performance test is not valid.
    case invalidPerformanceTestRequest = 4_000_211
    /// The identifier of the performance test is malformed.
    case invalidRequestId = 4_000_212
    /// Another performance test is running.
    case performanceTestRuns = 4_000_213
    /// The real-time URL is not valid.
    case invalidRealtimeURL = 4_000_215
    /// The size of an image does not fit its use.
    case invalidImageSize = 4_000_216
    /// The message has more than 5 bullet points.
    case tooManyBulletPoints = 4_000_218
    /// The text of a bullet point is longer than 66, the limit of Apple.
    case bulletPointTextTooLong = 4_000_219
    /// The header position is ABOVE_IMAGE, and the message has no image.
    case aboveImageNeedsImage = 4_000_224
    /// The app has 2000 images, the most that Apple allows.
    case tooManyImages = 4_030_014
    /// The app has 2000 messages, the most that Apple allows.
    case tooManyMessages = 4_030_016
    /// Apple has not approved the message.
    case messageNotApproved = 4_030_017
    /// Apple has not approved an image of the message.
    case imageNotApproved = 4_030_018
    /// A message uses the image.
    case imageInUse = 4_030_019
    /// No performance test has passed in Sandbox.
    case noPassingTest = 4_030_026
    /// Apple found no account of the customer.
    case accountNotFound = 4_040_001
    /// Apple did not find the account of the customer this time.
    case accountNotFoundRetryable = 4_040_002
    /// Apple found no such app.
    case appNotFound = 4_040_003
    /// Apple did not find the app this time.
    case appNotFoundRetryable = 4_040_004
    /// Apple found no original transaction with this identifier.
    case originalTransactionIdNotFound = 4_040_005
    /// Apple did not find the original transaction this time.
    case originalTransactionIdNotFoundRetryable = 4_040_006
    /// No URL for notifications is set in this environment.
    case serverNotificationURLNotFound = 4_040_007
    /// The test notification has expired, or its status is not available yet.
    case testNotificationNotFound = 4_040_008
    /// Apple found no transaction with this identifier.
    case transactionIdNotFound = 4_040_010
    /// This environment has no image with this identifier.
    case imageNotFound = 4_040_014
    /// This environment has no message with this identifier.
    case messageNotFound = 4_040_015
    /// Apple knows no performance test with this identifier.
    case performanceTestNotFound = 4_040_018
    /// No default message is set for this product and locale.
    case defaultMessageNotFound = 4_040_020
    /// No real-time URL is set in this environment.
    case realtimeURLNotFound = 4_040_021
    /// An image with this identifier exists.
    case imageAlreadyExists = 4_090_000
    /// A message with this identifier exists.
    case messageAlreadyExists = 4_090_001
    /// The app has used up its calls of this kind for now.
    case rateLimitExceeded = 4_290_000
    /// Apple's server failed.
    case internalError = 5_000_000
    /// Apple's server failed for a moment.
    case internalErrorRetryable = 5_000_001

    /// The stable code: `apple.` and the name of the case in kebab-case.
    public var code: String {
        switch self {
        case .invalidTransactionId: "apple.invalid-transaction-id"
        case .invalidProductId: "apple.invalid-product-id"
        case .appTransactionIdNotSupported: "apple.app-transaction-id-not-supported"
        case .invalidImage: "apple.invalid-image"
        case .headerTooLong: "apple.header-too-long"
        case .bodyTooLong: "apple.body-too-long"
        case .invalidLocale: "apple.invalid-locale"
        case .altTextTooLong: "apple.alt-text-too-long"
        case .familySharedTransaction: "apple.family-shared-transaction"
        case .notOriginalTransactionId: "apple.not-original-transaction-id"
        case .invalidPerformanceTestRequest: "apple.invalid-performance-test-request"
        case .invalidRequestId: "apple.invalid-request-id"
        case .performanceTestRuns: "apple.performance-test-runs"
        case .invalidRealtimeURL: "apple.invalid-realtime-url"
        case .invalidImageSize: "apple.invalid-image-size"
        case .tooManyBulletPoints: "apple.too-many-bullet-points"
        case .bulletPointTextTooLong: "apple.bullet-point-text-too-long"
        case .aboveImageNeedsImage: "apple.above-image-needs-image"
        case .tooManyImages: "apple.too-many-images"
        case .tooManyMessages: "apple.too-many-messages"
        case .messageNotApproved: "apple.message-not-approved"
        case .imageNotApproved: "apple.image-not-approved"
        case .imageInUse: "apple.image-in-use"
        case .noPassingTest: "apple.no-passing-test"
        case .imageNotFound: "apple.image-not-found"
        case .messageNotFound: "apple.message-not-found"
        case .performanceTestNotFound: "apple.performance-test-not-found"
        case .defaultMessageNotFound: "apple.default-message-not-found"
        case .realtimeURLNotFound: "apple.realtime-url-not-found"
        case .imageAlreadyExists: "apple.image-already-exists"
        case .messageAlreadyExists: "apple.message-already-exists"
        case .rateLimitExceeded: "apple.rate-limit-exceeded"
        case .internalError: "apple.internal-error"
        case .internalErrorRetryable: "apple.internal-error-retryable"
        case .invalidAppIdentifier: "apple.invalid-app-identifier"
        case .invalidRequestRevision: "apple.invalid-request-revision"
        case .startDateTooFarInPast: "apple.start-date-too-far-in-past"
        case .startDateAfterEndDate: "apple.start-date-after-end-date"
        case .invalidPaginationToken: "apple.invalid-pagination-token"
        case .invalidStartDate: "apple.invalid-start-date"
        case .invalidEndDate: "apple.invalid-end-date"
        case .paginationTokenExpired: "apple.pagination-token-expired"
        case .invalidNotificationType: "apple.invalid-notification-type"
        case .multipleFiltersSupplied: "apple.multiple-filters-supplied"
        case .invalidTestNotificationToken: "apple.invalid-test-notification-token"
        case .invalidSort: "apple.invalid-sort"
        case .invalidProductType: "apple.invalid-product-type"
        case .invalidSubscriptionGroupIdentifier: "apple.invalid-subscription-group-identifier"
        case .invalidExcludeRevoked: "apple.invalid-exclude-revoked"
        case .invalidInAppOwnershipType: "apple.invalid-in-app-ownership-type"
        case .invalidRevoked: "apple.invalid-revoked"
        case .invalidStatus: "apple.invalid-status"
        case .accountNotFound: "apple.account-not-found"
        case .accountNotFoundRetryable: "apple.account-not-found-retryable"
        case .appNotFound: "apple.app-not-found"
        case .appNotFoundRetryable: "apple.app-not-found-retryable"
        case .originalTransactionIdNotFound: "apple.original-transaction-id-not-found"
        case .originalTransactionIdNotFoundRetryable: "apple.original-transaction-id-not-found-retryable"
        case .serverNotificationURLNotFound: "apple.server-notification-url-not-found"
        case .testNotificationNotFound: "apple.test-notification-not-found"
        case .transactionIdNotFound: "apple.transaction-id-not-found"
        }
    }

    /// The HTTP status with which Apple sends this code.
    public var status: Int { Int(rawValue / 10_000) }
}
