extension AppStoreServerAPIErrorCode {
    /// What to do about the error, as a sentence.
    public var advice: String { adviceForContent ?? adviceForState }

    /// The advice for the codes with the status 400: what was sent is wrong.
    private var adviceForContent: String? {
        switch self {
        case .invalidTransactionId:
            "Give the originalTransactionId of a subscription that was bought in Sandbox."
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
