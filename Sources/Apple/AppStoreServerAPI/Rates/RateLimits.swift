public import Vocabulary

/// The numbers of calls that Apple allows for an app in an hour.
///
/// Source: Apple, Identifying rate limits. Apple states the limits per second and enforces them per hour. Sandbox has
/// 10 % of Production's.
public enum RateLimits {
    /// Returns the calls of an operation that Apple allows in an hour.
    public static func callsPerHour(of operation: AppStoreServerOperation, in environment: Environment) -> Int
    {
        perSecond(operation) * 3600 / (environment == .production ? 1 : 10)
    }

    /// Returns how long one run waits when it makes a number of calls of an operation, in milliseconds.
    public static func waitMilliseconds(
        for count: Int, of operation: AppStoreServerOperation, in environment: Environment
    ) -> Int64 {
        Int64(max(0, count - 1) / callsPerHour(of: operation, in: environment)) * CallPace.hourMilliseconds
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
