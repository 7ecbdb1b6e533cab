internal import Vocabulary

/// The app and the environment that a notification names.
struct NotificationIdentity {
    var bundleId: String?
    var appAppleId: Int64?
    /// Apple's word for the environment.
    var environment: String?
}

extension NotificationSubject {
    /// The app and the environment that the object names. Nil when no known object is there, and for an `unclaimInfo`
    /// without the members of an identity: Apple does not document that it has them.
    var identity: NotificationIdentity? {
        switch self {
        case .data(let data):
            NotificationIdentity(
                bundleId: data.bundleId,
                appAppleId: data.appAppleId,
                environment: data.environment
            )
        case .summary(let summary):
            NotificationIdentity(
                bundleId: summary.bundleId,
                appAppleId: summary.appAppleId,
                environment: summary.environment
            )
        case .externalPurchaseToken(let token):
            NotificationIdentity(
                bundleId: token.bundleId,
                appAppleId: token.appAppleId,
                environment: token.environment.rawValue
            )
        case .appData(let data):
            NotificationIdentity(
                bundleId: data.bundleId,
                appAppleId: data.appAppleId,
                environment: data.environment
            )
        case .unclaimInfo(let info):
            info.namesOwner
                ? NotificationIdentity(
                    bundleId: info.bundleId,
                    appAppleId: info.appAppleId,
                    environment: info.environment
                ) : nil
        case .unknown: nil
        }
    }
}

extension UnclaimInfo {
    /// Returns true when the members that the check needs are there.
    fileprivate var namesOwner: Bool {
        guard bundleId != nil, let environment else { return false }
        return appAppleId != nil || environment != Environment.production.rawValue
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
