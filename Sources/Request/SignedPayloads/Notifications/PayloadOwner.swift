public import Vocabulary

/// The configured app, and the environment, that a verified payload belongs to.
public struct PayloadOwner: Sendable, Hashable {
    /// Apple's number of the app, as configured.
    public let appAppleId: Int64
    /// The app's bundle identifier, as configured.
    public let bundleId: String
    public let environment: Environment

    init(_ app: AppIdentity, _ environment: Environment) {
        appAppleId = app.appAppleId
        bundleId = app.bundleId
        self.environment = environment
    }

    /// Checks the app that a payload names. One that names none belongs to the app of the payload or the call around it: Apple's
    /// old transactions have no bundle identifier.
    ///
    /// - Parameters:
    ///   - other: the bundle identifier.
    ///   - number: Apple's number of the app.
    ///   - unusable: the names of the members that name something unreadable.
    /// - Throws: `app-differs`.
    func check(bundleId other: String?, appAppleId number: Int64? = nil, unusable: [String])
        throws(VerificationError)
    {
        if let other, other != bundleId { throw VerificationError(.appDiffers, .bundle(other)) }
        if let number, number != appAppleId { throw VerificationError(.appDiffers, .app(number)) }
        guard unusable.allSatisfy({ $0 != "bundleId" && $0 != "appAppleId" }) else {
            throw .plain(.appDiffers)
        }
    }

    /// - Throws: `environment-differs`.
    func check(environment name: String?) throws(VerificationError) {
        guard name == environment.rawValue else { throw .plain(.environmentDiffers) }
    }
}
