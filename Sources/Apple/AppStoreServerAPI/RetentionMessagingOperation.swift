/// The 14 operations of the Retention Messaging API.
///
/// Source: Apple, Retention Messaging API. The raw value is the name under which the state of the rates is kept.
public enum RetentionMessagingOperation: String, Sendable, Hashable, CaseIterable {
    /// Upload Image.
    case uploadImage
    /// Delete Image.
    case deleteImage
    /// Get Image List.
    case listImages
    /// Upload Message.
    case uploadMessage
    /// Delete Message.
    case deleteMessage
    /// Get Message List.
    case listMessages
    /// Configure Default Message.
    case setDefault
    /// Get Default Message.
    case getDefault
    /// Delete Default Message.
    case deleteDefault
    /// Configure Realtime URL.
    case setURL
    /// Get Realtime URL.
    case getURL
    /// Delete Realtime URL.
    case deleteURL
    /// Initiate Performance Test.
    case startTest
    /// Get Performance Test Results.
    case getTestResult

    /// Apple's name of the operation.
    public var name: String {
        switch self {
        case .uploadImage: "Upload Image"
        case .deleteImage: "Delete Image"
        case .listImages: "Get Image List"
        case .uploadMessage: "Upload Message"
        case .deleteMessage: "Delete Message"
        case .listMessages: "Get Message List"
        case .setDefault: "Configure Default Message"
        case .getDefault: "Get Default Message"
        case .deleteDefault: "Delete Default Message"
        case .setURL: "Configure Realtime URL"
        case .getURL: "Get Realtime URL"
        case .deleteURL: "Delete Realtime URL"
        case .startTest: "Initiate Performance Test"
        case .getTestResult: "Get Performance Test Results"
        }
    }

    /// Returns true when a second call after the first changes nothing more, so that the client may repeat a call
    /// whose answer was lost. Apple calls Configure and Delete Default Message idempotent. Setting the same URL
    /// twice, or deleting the URL twice, changes nothing more either.
    public var isRepeatable: Bool {
        switch self {
        case .uploadImage, .deleteImage, .uploadMessage, .deleteMessage, .startTest: false
        case .listImages, .listMessages, .setDefault, .getDefault, .deleteDefault, .setURL, .getURL,
            .deleteURL,
            .getTestResult:
            true
        }
    }

    /// Returns true when only the Sandbox host has the operation.
    public var isSandboxOnly: Bool { self == .startTest || self == .getTestResult }

    /// Returns true when a 404 without an error body means that the account has no access to the API. Apple documents
    /// this for three operations.
    public var tellsMissingAccess: Bool { self == .setURL || self == .deleteURL || self == .startTest }
}
