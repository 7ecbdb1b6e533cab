/// The operations of Apple's server that the client performs: the 14 of the Retention Messaging API, and six of the App
/// Store Server API that tell what notifications told, or should have told.
///
/// Source: Apple, Retention Messaging API and App Store Server API. The raw value is the name under which the state of the
/// rates is kept.
public enum AppStoreServerOperation: String, Sendable, Hashable, CaseIterable {
    case uploadImage
    case deleteImage
    /// Get Image List.
    case listImages
    case uploadMessage
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
    /// Get Notification History.
    case notificationHistory
    case requestTestNotification
    /// Get Test Notification Status.
    case testNotificationStatus
    /// Get All Subscription Statuses.
    case subscriptionStatuses
    /// Get Transaction History.
    case transactionHistory
    /// Get Transaction Info.
    case transactionInfo

    /// The operations of the Retention Messaging API.
    public static let retentionMessaging = allCases.filter { !recovery.contains($0) }

    /// The operations that tell about notifications, subscriptions and transactions.
    public static let recovery: [AppStoreServerOperation] = [
        .notificationHistory, .requestTestNotification, .testNotificationStatus, .subscriptionStatuses,
        .transactionHistory, .transactionInfo,
    ]

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
        case .notificationHistory: "Get Notification History"
        case .requestTestNotification: "Request a Test Notification"
        case .testNotificationStatus: "Get Test Notification Status"
        case .subscriptionStatuses: "Get All Subscription Statuses"
        case .transactionHistory: "Get Transaction History"
        case .transactionInfo: "Get Transaction Info"
        }
    }

    /// Returns true when a second call after the first changes nothing more, so that the client may repeat a call
    /// whose answer was lost. Apple calls Configure and Delete Default Message idempotent. Setting the same URL
    /// twice, or deleting the URL twice, changes nothing more either. Each request for a test notification makes a
    /// notification of its own.
    public var isRepeatable: Bool {
        switch self {
        case .uploadImage, .deleteImage, .uploadMessage, .deleteMessage, .startTest, .requestTestNotification:
            false
        case .listImages, .listMessages, .setDefault, .getDefault, .deleteDefault, .setURL, .getURL,
            .deleteURL, .getTestResult, .notificationHistory, .testNotificationStatus, .subscriptionStatuses,
            .transactionHistory, .transactionInfo:
            true
        }
    }

    /// Returns true when only the Sandbox host has the operation.
    public var isSandboxOnly: Bool { self == .startTest || self == .getTestResult }

    /// Returns true when a 404 without an error body means that the account has no access to the API. Apple documents
    /// this for three operations.
    public var tellsMissingAccess: Bool { self == .setURL || self == .deleteURL || self == .startTest }
}
