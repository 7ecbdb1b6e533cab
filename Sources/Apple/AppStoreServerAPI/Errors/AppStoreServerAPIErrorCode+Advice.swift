extension AppStoreServerAPIErrorCode {
    /// What to do about the error, as a sentence.
    public var advice: String { adviceForContent ?? adviceForRecovery ?? adviceForState }

    /// The advice for the codes with the status 400: what was sent is wrong.
    private var adviceForContent: String? {
        switch self {
        case .invalidTransactionId:
            "Give a transaction identifier of this environment; a performance test needs an original one of Sandbox."
        case .invalidProductId: "Give the product identifier exactly as App Store Connect spells it."
        case .appTransactionIdNotSupported: "Give the originalTransactionId of a subscription instead."
        case .invalidImage:
            "Upload a PNG without transparency, 3840 x 160 to 2160 pixels, or 1024 x 1024 for a bullet point."
        case .headerTooLong: "Shorten the header."
        case .bodyTooLong: "Shorten the body."
        case .invalidLocale:
            "Use a code of App Store Connect such as en-US or zh-Hans. Upper and lower case matter."
        case .altTextTooLong: "Shorten the alternative text of the image or the bullet point."
        case .familySharedTransaction: "Give a subscription that its user bought."
        case .notOriginalTransactionId:
            "Give the originalTransactionId of the subscription, not its newest transactionId."
        case .invalidPerformanceTestRequest:
            "Set the URL in Sandbox first, and give the originalTransactionId of an active subscription."
        case .invalidRequestId: "Give the requestId that the start of the test returned."
        case .performanceTestRuns: "Wait until that test has ended. Apple runs one test at a time."
        case .invalidRealtimeURL: "Give a URL that begins with https:// and has at most 256 characters."
        case .invalidImageSize:
            "Use a FULL_SIZE image for the message and BULLET_POINT images for bullet points."
        case .tooManyBulletPoints: "Remove bullet points."
        case .bulletPointTextTooLong: "Shorten the text of the bullet point."
        case .aboveImageNeedsImage: "Give the message an image, or leave the header position out."
        default: nil
        }
    }

    /// The advice for the codes of the operations that tell about notifications, subscriptions and transactions.
    private var adviceForRecovery: String? {
        switch self {
        case .invalidAppIdentifier: "Check that the bundle ID is that of the app."
        case .invalidRequestRevision: "Begin with the first page again."
        case .startDateTooFarInPast: "Begin at most 180 days ago in Production, 30 days ago in Sandbox."
        case .startDateAfterEndDate: "Give a start date before the end date."
        case .invalidPaginationToken:
            "Begin with the first page again, and send the same request for each page."
        case .invalidStartDate: "Give the start date in milliseconds since 1970."
        case .invalidEndDate: "Give the end date in milliseconds since 1970."
        case .paginationTokenExpired: "Begin with the first page again."
        case .invalidNotificationType:
            "Give a type and a subtype that belong together, as Apple spells them."
        case .multipleFiltersSupplied: "Give either a notification type or a transaction identifier."
        case .invalidTestNotificationToken:
            "Give the token that the request for the test notification returned."
        case .invalidSort: "Give ASCENDING or DESCENDING."
        case .invalidProductType: "Give AUTO_RENEWABLE, NON_RENEWABLE, CONSUMABLE or NON_CONSUMABLE."
        case .invalidSubscriptionGroupIdentifier:
            "Give the number that App Store Connect shows for the group."
        case .invalidExcludeRevoked: "Give true or false."
        case .invalidInAppOwnershipType: "Give PURCHASED, FAMILY_SHARED or ASSIGNED."
        case .invalidRevoked: "Give true or false, or leave the filter out."
        case .invalidStatus: "Give numbers from 1 to 5."
        case .accountNotFound:
            "Check the transaction identifier and the environment: in Production, it may be of Sandbox."
        case .accountNotFoundRetryable: "Try again later."
        case .appNotFound:
            "Check that the bundle ID is that of the app and that the key belongs to its team."
        case .appNotFoundRetryable: "Try again in some minutes."
        case .originalTransactionIdNotFound:
            "Check the original transaction identifier and the environment: in Production, it may be of Sandbox."
        case .originalTransactionIdNotFoundRetryable: "Try again a little later."
        case .serverNotificationURLNotFound:
            "Set the URL for App Store Server Notifications in App Store Connect."
        case .testNotificationNotFound: "Ask again after some seconds, or request a new test notification."
        case .transactionIdNotFound:
            "Check the transaction identifier, the bundle ID and the environment: in Production, it may be of Sandbox."
        default: nil
        }
    }

    /// The advice for the other codes: what was sent does not fit what Apple has, or Apple's server failed.
    private var adviceForState: String {
        switch self {
        case .tooManyImages: "Delete images that no message uses."
        case .tooManyMessages: "Delete messages that nothing uses."
        case .messageNotApproved: "Wait until the list of messages shows it as APPROVED."
        case .imageNotApproved: "Wait until the list of images shows it as APPROVED."
        case .imageInUse: "Delete every message that names the image first."
        case .noPassingTest:
            "Run the performance test in Sandbox until its result is PASS, then set the URL in Production."
        case .imageNotFound: "Look at the list of images. Each environment has its own."
        case .messageNotFound: "Look at the list of messages. Each environment has its own."
        case .performanceTestNotFound:
            "Give the requestId that the start of the test returned, or start a new test."
        case .defaultMessageNotFound: "Set a default message if the product needs one."
        case .realtimeURLNotFound: "Set the URL if Apple should ask your server."
        case .imageAlreadyExists: "Upload a changed image under a new identifier."
        case .messageAlreadyExists: "Upload a changed message under a new identifier."
        case .rateLimitExceeded:
            "Wait until the time in Retry-After. Other programs with the same app count too."
        case .internalError: "Try again later, and look at Apple's System Status page."
        case .internalErrorRetryable: "Try again."
        default: "Correct the request."
        }
    }
}
