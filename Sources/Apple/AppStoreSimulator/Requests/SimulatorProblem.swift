internal import AppStoreServerAPI

/// The reason why the simulator refuses a request.
enum SimulatorProblem: Error, Hashable {
    /// The token is missing or wrong. Apple promises no body for this answer.
    case unauthorized
    /// The account has no access to the API. Apple documents a 404 without body for three operations.
    case noAccess
    /// Apple's server has no operation with this path and method.
    case noOperation
    /// The request is malformed in a way for which the page of the operation names no code. Apple's libraries know the number
    /// 4000000, GeneralBadRequest.
    case badRequest
    /// The request gets one of the API's codes.
    case apple(AppStoreServerAPIErrorCode)
}

extension AppStoreServerAPIErrorCode {
    /// The text of `errorMessage`. It is Apple's where a page or a library shows it.
    var appleMessage: String {
        switch self {
        case .invalidTransactionId: "Invalid transaction id."
        case .appTransactionIdNotSupported:
            "Invalid request. App transactions aren't supported by this endpoint."
        case .invalidImage: "Invalid request. The image is invalid."
        case .invalidLocale: "Invalid request. Locale is invalid."
        case .familySharedTransaction:
            "Invalid request. Family Sharing transactions aren't supported by this endpoint."
        case .notOriginalTransactionId:
            "Invalid request. The transaction ID provided is not an original transaction ID."
        case .performanceTestRuns: "Invalid request. Existing performance test run."
        case .invalidRealtimeURL: "Invalid request. The url is invalid."
        case .invalidImageSize: "Invalid request. The image's size is invalid."
        case .tooManyBulletPoints: "Invalid request. The number of bullet points is too many."
        case .rateLimitExceeded: "Rate limit exceeded."
        case .internalError: "An unknown error occurred."
        case .internalErrorRetryable: "An unknown error occurred. Please try again."
        default: meaning.isEmpty ? "Invalid request." : meaning
        }
    }
}
