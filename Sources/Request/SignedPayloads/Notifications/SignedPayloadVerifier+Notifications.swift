internal import Cryptography
internal import JSON
internal import Vocabulary

extension SignedPayloadVerifier {
    /// Verifies the body of an App Store Server Notification of version 2: `{"signedPayload": "…"}`.
    ///
    /// The certificates must be valid at the notification's `signedDate`, which may be long ago: Apple sends for 157 hours,
    /// and its history has 180 days. The signed parts are verified as their own JWS, each at its own date. A part that
    /// fails does not make the notification fail (``SignedNotification/failedParts``).
    ///
    /// - Parameters:
    ///   - body: the request body as received.
    ///   - nowMilliseconds: the wall clock, milliseconds since 1970.
    /// - Returns: the notification, with the proof that it passed every check.
    /// - Throws: the ``VerificationError`` of the first step that fails; `notification-version-1` for a body of the old
    ///   format, `owner-unknown` for a notification that names no app, `signed-date-ahead` when the service's clock is slow.
    public func verifyNotification(body: Span<UInt8>, nowMilliseconds: Int64) throws(VerificationError)
        -> VerifiedPayload<SignedNotification>
    {
        try withSignedPayload(
            inBody: body,
            else: { object in
                object.isNotificationVersion1 ? .notificationVersion1 : .signedPayloadMissing
            },
            { text throws(VerificationError) in
                try self.verifyNotification(compact: text, nowMilliseconds: nowMilliseconds)
            }
        )
    }

    /// Verifies the JWS of a notification without a body around it, as Apple's history has it, like
    /// ``verifyNotification(body:nowMilliseconds:)``.
    public func verifyNotification(compact text: Span<UInt8>, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<SignedNotification>
    {
        let signed = try verifySignature(of: text, nowMilliseconds: nowMilliseconds)
        let document = try storedObject(signed.jws.payload.span)
        let content = try Notification(document.root)
        try checkValidity(of: signed.chain, at: content.signedDate ?? nowMilliseconds)
        guard let identity = content.subject.identity else { throw .plain(.ownerUnknown) }
        let owner = try owner(identity, anchor: signed.chain.anchor)
        if let date = content.signedDate {
            let isNewest = signedDates.note(date, nowMilliseconds: nowMilliseconds, onlyIfNewest: true)
            try checkNotAhead(date, nowMilliseconds: nowMilliseconds)
            // An old notification comes again days later, with the certificates of its day.
            if isNewest { trust.noteUse(of: signed.chain, atMilliseconds: nowMilliseconds) }
        }
        let received = accept(signed, of: text)
        var parts = PartVerification(
            verifier: self, owner: owner, payload: received.payload, nowMilliseconds: nowMilliseconds)
        let (data, appData) = content.subject.partHolders(in: document.root)
        let transaction = try parts.verify("signedTransactionInfo", of: data, as: Transaction.self)
        let renewalInfo = try parts.verify("signedRenewalInfo", of: data, as: RenewalInfo.self)
        let appTransaction = try parts.verify(
            "signedAppTransactionInfo", of: appData, as: AppTransaction.self)
        return VerifiedPayload(
            payload: SignedNotification(
                content: content, owner: owner, received: received, transaction: transaction,
                renewalInfo: renewalInfo, appTransaction: appTransaction), anchor: signed.chain.anchor,
            chainWasCached: signed.wasCached)
    }

    /// Finds the configured app of a notification: by bundle identifier, and in Production by Apple's number, too.
    ///
    /// - Throws: `app-unknown`, `anchor-not-for-app`, `environment-not-configured`.
    private func owner(_ identity: NotificationIdentity, anchor: SHA256Digest) throws(VerificationError)
        -> PayloadOwner
    {
        let environment = identity.environment.flatMap { Environment(rawValue: $0) }
        guard let bundleId = identity.bundleId, var apps = appsOfBundle[bundleId] else {
            let detail = identity.bundleId.map { VerificationError.Detail.bundle($0) }
            throw VerificationError(.appUnknown, detail ?? identity.appAppleId.map { .app($0) })
        }
        if environment == .production {
            apps.removeAll { $0.identity.appAppleId != identity.appAppleId }
            guard !apps.isEmpty else {
                throw VerificationError(.appUnknown, .bundleAndApp(bundleId, identity.appAppleId))
            }
        }
        apps.removeAll { !$0.anchors.contains(anchor) }
        guard !apps.isEmpty else { throw VerificationError(.anchorNotForApp, .bundle(bundleId)) }
        guard let environment, environment != .xcode else {
            throw VerificationError(.environmentNotConfigured, .bundle(bundleId))
        }
        apps.removeAll { !$0.identity.environments.contains(environment) }
        // Where several apps of one bundle identifier are left, Apple's number decides if the notification has it.
        let app = apps.first { $0.identity.appAppleId == identity.appAppleId } ?? apps.first
        guard let app else { throw VerificationError(.environmentNotConfigured, .bundle(bundleId)) }
        return PayloadOwner(app.identity, environment)
    }
}

extension JSONValue {
    /// Returns true when an object has the members of a notification of version 1.
    ///
    /// Source: Apple, App Store Server Notifications, responseBodyV1.
    fileprivate var isNotificationVersion1: Bool {
        member("signedPayload") == nil
            && (member("notification_type")?.kind == .string || member("unified_receipt")?.kind == .object)
    }
}

extension NotificationSubject {
    /// Returns the objects that hold the signed parts, as far as they are the subject.
    fileprivate func partHolders(in object: JSONValue) -> (data: JSONValue?, appData: JSONValue?) {
        switch self {
        case .data: (object.member("data"), nil)
        case .appData: (nil, object.member("appData"))
        case .summary, .externalPurchaseToken, .unclaimInfo, .unknown: (nil, nil)
        }
    }
}
