public import Vocabulary

/// The configured app, and the environment, that a verified payload belongs to.
public struct PayloadOwner: Sendable, Hashable {
    /// Apple's number of the app, as configured.
    public let appAppleId: Int64
    /// The app's bundle identifier, as configured.
    public let bundleId: String
    /// The environment of the payload.
    public let environment: Environment

    init(_ app: AppIdentity, _ environment: Environment) {
        appAppleId = app.appAppleId
        bundleId = app.bundleId
        self.environment = environment
    }

    /// - Throws: `app-differs`.
    func check(bundleId other: String?) throws(VerificationError) {
        guard other == bundleId else {
            throw VerificationError(.appDiffers, other.map { .bundle($0) })
        }
    }

    /// - Throws: `environment-differs`.
    func check(environment name: String?) throws(VerificationError) {
        guard name == environment.rawValue else { throw .plain(.environmentDiffers) }
    }
}
