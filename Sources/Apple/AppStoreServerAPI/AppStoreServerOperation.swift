/// The 14 operations of the Retention Messaging API, and six of the App Store Server API about notifications.
package enum AppStoreServerOperation: String, Sendable, Hashable, CaseIterable {
    case uploadImage, deleteImage, listImages
    case uploadMessage, deleteMessage, listMessages
    case setDefault, getDefault, deleteDefault
    case setURL, getURL, deleteURL
    case startTest, getTestResult
    case notificationHistory, requestTestNotification, testNotificationStatus
    case subscriptionStatuses, transactionHistory, transactionInfo

    private struct Row {
        let name: String
        let method: String
        let path: String
        let isRepeatable: Bool
        let isSandboxOnly: Bool
        let tellsMissingAccess: Bool
        let callsPerSecond: Int
        let refusalWhenDone: AppStoreServerAPIErrorCode?

        init(
            _ name: String, _ method: String, _ path: String, repeatable: Bool = true, sandbox: Bool = false,
            missingAccess: Bool = false, rate: Int = 1, done: AppStoreServerAPIErrorCode? = nil
        ) {
            (self.name, self.method, self.path, isRepeatable) = (name, method, "/inApps/" + path, repeatable)
            (isSandboxOnly, tellsMissingAccess, callsPerSecond) = (sandbox, missingAccess, rate)
            refusalWhenDone = done
        }
    }

    /// Apple calls Configure and Delete Default Message idempotent; the same holds for the URL. Each request for a test
    /// makes a notification of its own.
    private var row: Row {
        switch self {
        case .uploadImage:
            Row(
                "Upload Image", "PUT", "v1/messaging/image/{imageIdentifier}", repeatable: false,
                done: .imageAlreadyExists)
        case .deleteImage:
            Row(
                "Delete Image", "DELETE", "v1/messaging/image/{imageIdentifier}", repeatable: false,
                done: .imageNotFound)
        case .listImages: Row("Get Image List", "GET", "v1/messaging/image/list")
        case .uploadMessage:
            Row(
                "Upload Message", "PUT", "v1/messaging/message/{messageIdentifier}", repeatable: false,
                done: .messageAlreadyExists)
        case .deleteMessage:
            Row(
                "Delete Message", "DELETE", "v1/messaging/message/{messageIdentifier}", repeatable: false,
                done: .messageNotFound)
        case .listMessages: Row("Get Message List", "GET", "v1/messaging/message/list")
        case .setDefault:
            Row("Configure Default Message", "PUT", "v1/messaging/default/{productId}/{locale}", rate: 10)
        case .getDefault: Row("Get Default Message", "GET", "v1/messaging/default/{productId}/{locale}")
        case .deleteDefault:
            Row("Delete Default Message", "DELETE", "v1/messaging/default/{productId}/{locale}")
        case .setURL: Row("Configure Realtime URL", "PUT", "v1/messaging/realtime/url", missingAccess: true)
        case .getURL: Row("Get Realtime URL", "GET", "v1/messaging/realtime/url")
        case .deleteURL:
            Row("Delete Realtime URL", "DELETE", "v1/messaging/realtime/url", missingAccess: true)
        case .startTest:
            Row(
                "Initiate Performance Test", "POST", "v1/messaging/performanceTest", repeatable: false,
                sandbox: true, missingAccess: true)
        case .getTestResult:
            Row(
                "Get Performance Test Results", "GET", "v1/messaging/performanceTest/result/{requestId}",
                sandbox: true)
        case .notificationHistory:
            Row("Get Notification History", "POST", "v1/notifications/history", rate: 50)
        case .requestTestNotification:
            Row("Request a Test Notification", "POST", "v1/notifications/test", repeatable: false)
        case .testNotificationStatus:
            Row("Get Test Notification Status", "GET", "v1/notifications/test/{testNotificationToken}")
        case .subscriptionStatuses:
            Row("Get All Subscription Statuses", "GET", "v1/subscriptions/{transactionId}", rate: 50)
        case .transactionHistory:
            Row("Get Transaction History", "GET", "v2/history/{transactionId}", rate: 50)
        case .transactionInfo: Row("Get Transaction Info", "GET", "v1/transactions/{transactionId}", rate: 50)
        }
    }

    package static let retentionMessaging = allCases.filter { $0.path.hasPrefix("/inApps/v1/messaging/") }

    package static let recovery = allCases.filter { !retentionMessaging.contains($0) }

    package var name: String { row.name }
    package var method: String { row.method }
    package var path: String { row.path }

    package var parameters: [String] {
        path.matches(of: /\{(\w+)\}/).map { String($0.output.1) }
    }

    /// True when a second call after the first changes nothing more.
    package var isRepeatable: Bool { row.isRepeatable }

    package var onlyReads: Bool { method == "GET" || self == .notificationHistory }

    package var isSandboxOnly: Bool { row.isSandboxOnly }

    /// True when a 404 without an error body means that the account has no access. Apple documents this for three
    /// operations.
    package var tellsMissingAccess: Bool { row.tellsMissingAccess }

    /// The code with which Apple's server refuses an upload or a delete that was done before; nil for other operations.
    var refusalWhenDone: AppStoreServerAPIErrorCode? { row.refusalWhenDone }

    /// Apple's limit in Production, in calls per second.
    var callsPerSecond: Int { row.callsPerSecond }
}
