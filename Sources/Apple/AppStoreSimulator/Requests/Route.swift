internal import AppStoreServerAPI
internal import Vocabulary

/// An operation with its arguments from the path of the request. The texts are decoded and not checked.
enum Route: Hashable {
    case uploadImage(String)
    case deleteImage(String)
    case listImages
    case uploadMessage(String)
    case deleteMessage(String)
    case listMessages
    case setDefault(productId: String, locale: String)
    case getDefault(productId: String, locale: String)
    case deleteDefault(productId: String, locale: String)
    case setURL
    case getURL
    case deleteURL
    case startTest
    case getTestResult(String)
    case notificationHistory
    case requestTestNotification
    case testNotificationStatus(String)
    case subscriptionStatuses(String)
    case transactionHistory(String)
    case transactionInfo(String)

    /// The path before the operation's own part.
    private static let prefix = ["inApps", "v1", "messaging"]

    /// Finds the operation of a method and a path. Returns nil when Apple's server has none, or has it in Sandbox alone.
    init?(method: String, segments: [String], environment: Environment) {
        let isMessaging = segments.starts(with: Self.prefix)
        let rest = Array(segments.dropFirst(isMessaging ? Self.prefix.count : 0))
        guard let route = isMessaging ? Self.route(method, rest) : Self.recovery(method, rest) else {
            return nil
        }
        if route.operation.isSandboxOnly, environment != .sandbox { return nil }
        self = route
    }

    private static func route(_ method: String, _ path: [String]) -> Route? {
        switch (method, path.first, path.count) {
        case ("GET", "image", 2) where path[1] == "list": .listImages
        case ("PUT", "image", 2): .uploadImage(path[1])
        case ("DELETE", "image", 2): .deleteImage(path[1])
        case ("GET", "message", 2) where path[1] == "list": .listMessages
        case ("PUT", "message", 2): .uploadMessage(path[1])
        case ("DELETE", "message", 2): .deleteMessage(path[1])
        case ("PUT", "default", 3): .setDefault(productId: path[1], locale: path[2])
        case ("GET", "default", 3): .getDefault(productId: path[1], locale: path[2])
        case ("DELETE", "default", 3): .deleteDefault(productId: path[1], locale: path[2])
        case ("PUT", "realtime", 2) where path[1] == "url": .setURL
        case ("GET", "realtime", 2) where path[1] == "url": .getURL
        case ("DELETE", "realtime", 2) where path[1] == "url": .deleteURL
        case ("POST", "performanceTest", 1): .startTest
        case ("GET", "performanceTest", 3) where path[1] == "result": .getTestResult(path[2])
        default: nil
        }
    }

    /// The operations outside of Retention Messaging.
    private static func recovery(_ method: String, _ path: [String]) -> Route? {
        guard path.first == "inApps", (4...5).contains(path.count) else { return nil }
        switch (method, "\(path[1])/\(path[2])", path.count) {
        case ("POST", "v1/notifications", 4) where path[3] == "history": return .notificationHistory
        case ("POST", "v1/notifications", 4) where path[3] == "test": return .requestTestNotification
        case ("GET", "v1/notifications", 5) where path[3] == "test": return .testNotificationStatus(path[4])
        case ("GET", "v1/subscriptions", 4): return .subscriptionStatuses(path[3])
        case ("GET", "v2/history", 4): return .transactionHistory(path[3])
        case ("GET", "v1/transactions", 4): return .transactionInfo(path[3])
        default: return nil
        }
    }

    /// The operation without its arguments.
    var operation: AppStoreServerOperation {
        switch self {
        case .uploadImage: .uploadImage
        case .deleteImage: .deleteImage
        case .listImages: .listImages
        case .uploadMessage: .uploadMessage
        case .deleteMessage: .deleteMessage
        case .listMessages: .listMessages
        case .setDefault: .setDefault
        case .getDefault: .getDefault
        case .deleteDefault: .deleteDefault
        case .setURL: .setURL
        case .getURL: .getURL
        case .deleteURL: .deleteURL
        case .startTest: .startTest
        case .getTestResult: .getTestResult
        case .notificationHistory: .notificationHistory
        case .requestTestNotification: .requestTestNotification
        case .testNotificationStatus: .testNotificationStatus
        case .subscriptionStatuses: .subscriptionStatuses
        case .transactionHistory: .transactionHistory
        case .transactionInfo: .transactionInfo
        }
    }
}
