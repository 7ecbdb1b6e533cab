public import Vocabulary

/// The numbers of calls that Apple allows for an app in an hour.
///
/// Source: Apple, Identifying rate limits. Apple states the limits per second and enforces them per hour. Sandbox has
/// 10 % of Production's.
public enum RateLimits {
    /// Returns the calls of an operation that Apple allows in an hour.
    public static func callsPerHour(
        of operation: AppStoreServerOperation,
        in environment: Environment
    ) -> Int {
        perSecond(operation) * 3600 / (environment == .production ? 1 : 10)
    }

    /// Apple's limit in Production, in calls per second.
    private static func perSecond(_ operation: AppStoreServerOperation) -> Int {
        switch operation {
        case .setDefault: 10
        case .notificationHistory, .subscriptionStatuses, .transactionHistory, .transactionInfo: 50
        default: 1
        }
    }
}

/// The key of one budget: Apple counts each operation of an app in an environment separately. The server is part of the key, so
/// that calls to a simulator do not use up Apple's budget.
public struct RateKey: Sendable, Hashable {
    /// The bundle identifier of the app.
    public let bundleId: String
    /// The server with its environment.
    public let server: AppStoreServer
    /// The operation whose calls are counted.
    public let operation: AppStoreServerOperation

    /// Combines an app, a server and an operation.
    public init(bundleId: String, server: AppStoreServer, operation: AppStoreServerOperation) {
        self.bundleId = bundleId
        self.server = server
        self.operation = operation
    }

    /// The calls that Apple allows in an hour.
    public var callsPerHour: Int { RateLimits.callsPerHour(of: operation, in: server.environment) }
}
