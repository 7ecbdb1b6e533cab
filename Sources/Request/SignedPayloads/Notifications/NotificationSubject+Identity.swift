internal import Vocabulary

/// The app and the environment that a notification names.
struct NotificationIdentity {
    var bundleId: String?
    var appAppleId: Int64?
    /// Apple's word for the environment.
    var environment: String?
}

extension NotificationSubject {
    /// The app and the environment that the object names; nil when no known object is there.
    var identity: NotificationIdentity? {
        switch self {
        case .data(let data):
            NotificationIdentity(
                bundleId: data.bundleId, appAppleId: data.appAppleId, environment: data.environment)
        case .summary(let summary):
            NotificationIdentity(
                bundleId: summary.bundleId, appAppleId: summary.appAppleId, environment: summary.environment)
        case .externalPurchaseToken(let token):
            NotificationIdentity(
                bundleId: token.bundleId, appAppleId: token.appAppleId,
                environment: token.environment.rawValue)
        case .appData(let data):
            NotificationIdentity(
                bundleId: data.bundleId, appAppleId: data.appAppleId, environment: data.environment)
        case .unclaimInfo(let info):
            NotificationIdentity(
                bundleId: info.bundleId, appAppleId: info.appAppleId, environment: info.environment)
        case .unknown: nil
        }
    }
}

extension ExternalPurchaseToken {
    /// The environment. The object does not name it: the token's identifier begins with `SANDBOX` in the sandbox.
    ///
    /// Source: Apple's server libraries, SignedDataVerifier.
    var environment: Environment {
        externalPurchaseId?.hasPrefix("SANDBOX") == true ? .sandbox : .production
    }
}
