internal import Cryptography
internal import JSON
public import System

extension SignedPayloadVerifier {
    /// Verifies the body of an App Store Server Notification of version 2. The certificates must be valid at the
    /// notification's `signedDate`, which may be long ago: Apple sends for 157 hours, and its history has 180 days. The
    /// signed parts are verified as their own JWS, each at its own date. A part that fails does not make the notification
    /// fail (``SignedNotification/failedParts``). Throws the ``VerificationError`` of the first step that fails.
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

    public func verifyNotification(compact text: Span<UInt8>, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<SignedNotification>
    {
        let signed = try verifySignature(of: text, nowMilliseconds: nowMilliseconds)
        let document = try storedObject(signed.jws.payload.span)
        let content = try Notification(document.root)
        try checkValidity(of: signed.chain, at: content.signedDate ?? nowMilliseconds)
        guard content.object != nil else { throw .plain(.ownerUnknown) }
        let owner = try owner(content, anchor: signed.chain.anchor)
        if let date = content.signedDate {
            let isNewest = signedDates.add(date, nowMilliseconds: nowMilliseconds, onlyIfNewest: true)
            try checkNotAhead(date, nowMilliseconds: nowMilliseconds)
            // An old notification comes again days later, with the certificates of its day.
            if isNewest { trust.rememberUse(of: signed.chain) }
        }
        let received = accept(signed, of: text)
        var parts = PartVerification(
            verifier: self, owner: owner, payload: received.payload, nowMilliseconds: nowMilliseconds)
        let data = content.object == .data ? document.root.member("data") : nil
        let appData = content.object == .appData ? document.root.member("appData") : nil
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

    /// Finds the configured app of a notification: by bundle identifier, and in Production by Apple's number, too. Throws
    /// `app-unknown`, `anchor-not-for-app`, `environment-not-configured`.
    private func owner(_ identity: Notification, anchor: SHA256Digest) throws(VerificationError)
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

extension SignedPayloadVerifier {
    /// Returns the owner that payloads of a configured app must have in an environment. Throws `app-unknown`,
    /// `environment-not-configured`.
    public func owner(appAppleId: Int64, environment: Environment) throws(VerificationError) -> PayloadOwner {
        guard let app = apps[appAppleId] else { throw VerificationError(.appUnknown, .app(appAppleId)) }
        guard environment != .xcode, app.identity.environments.contains(environment) else {
            throw .plain(.environmentNotConfigured)
        }
        return PayloadOwner(app.identity, environment)
    }

    /// Verifies a transaction that came by itself, as Apple's API returns it. The certificates must be valid at its
    /// `signedDate`. Throws the ``VerificationError`` of the first step that fails; `app-differs`, `environment-differs`.
    public func verifyTransaction(compact text: Span<UInt8>, of owner: PayloadOwner, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<Signed<Transaction>>
    {
        try verifyPart(text, of: owner, by: .request, nowMilliseconds: nowMilliseconds, as: Transaction.self)
    }

    /// Verifies a renewal info that came by itself, like ``verifyTransaction(compact:of:nowMilliseconds:)``. It has no
    /// bundle identifier, so only its environment is held against `owner`.
    public func verifyRenewalInfo(compact text: Span<UInt8>, of owner: PayloadOwner, nowMilliseconds: Int64)
        throws(VerificationError) -> VerifiedPayload<Signed<RenewalInfo>>
    {
        try verifyPart(text, of: owner, by: .request, nowMilliseconds: nowMilliseconds, as: RenewalInfo.self)
    }

    /// Verifies an app transaction that came by itself, like ``verifyTransaction(compact:of:nowMilliseconds:)``. The
    /// certificates must be valid at its `receiptCreationDate`.
    public func verifyAppTransaction(
        compact text: Span<UInt8>, of owner: PayloadOwner, nowMilliseconds: Int64
    ) throws(VerificationError) -> VerifiedPayload<Signed<AppTransaction>> {
        try verifyPart(
            text, of: owner, by: .request, nowMilliseconds: nowMilliseconds, as: AppTransaction.self)
    }

    func storedObject(_ json: Span<UInt8>) throws(VerificationError) -> JSONDocument {
        try SignedJSON.object(
            json, byteCount: policy.jsonByteCount, depth: SignedPayloadsLimits.storedJSONDepth)
    }

    func verifyPart<Content: SignedContent>(
        _ text: Span<UInt8>, of owner: PayloadOwner, by presenter: ChainTrust.Presenter,
        nowMilliseconds: Int64, as type: Content.Type
    ) throws(VerificationError) -> VerifiedPayload<Signed<Content>> {
        let signed = try verifySignature(of: text, by: presenter, nowMilliseconds: nowMilliseconds)
        let document = try storedObject(signed.jws.payload.span)
        let content = Content(document.root)
        try checkValidity(of: signed.chain, at: content.signedMilliseconds ?? nowMilliseconds)
        try content.check(owner)
        guard apps[owner.appAppleId]?.anchors.contains(signed.chain.anchor) == true else {
            throw .plain(.anchorNotForApp)
        }
        let received = accept(signed, of: text)
        return VerifiedPayload(
            payload: Signed(content: content, received: received), anchor: signed.chain.anchor,
            chainWasCached: signed.wasCached)
    }
}

struct PartVerification {
    let verifier: SignedPayloadVerifier
    let owner: PayloadOwner
    let payload: [UInt8]
    let nowMilliseconds: Int64
    var places: [Range<Int>] = []

    /// Verifies the member `name` of `object`. Returns nil when it is absent. Throws `crypto-openssl-failure`, which says
    /// nothing about the part: the notification must be sent again.
    mutating func verify<Content: SignedContent>(
        _ name: StaticString, of object: JSONValue?, as content: Content.Type
    ) throws(VerificationError) -> NotificationPart<Content>? {
        guard let member = object?.member(name), member.kind != .null else { return nil }
        do throws(VerificationError) {
            let verified = try member.withUTF8 { text throws(VerificationError) in
                (
                    payload: try self.verifier.verifyPart(
                        text, of: owner, by: .verifiedPayload, nowMilliseconds: self.nowMilliseconds,
                        as: Content.self), place: self.place(of: text)
                )
            }
            guard let verified else {
                throw VerificationError(.payloadMemberMistyped, .member(name.description))
            }
            if let place = verified.place { places.append(place) }
            return .verified(verified.payload, place: verified.place)
        } catch {
            if error.refusal == .opensslFailure { throw error }
            return .failed(error)
        }
    }

    /// Returns where a text stands between quotes in the payload, outside of the places of other parts; nil when it stands
    /// nowhere, because it is written with escapes.
    private func place(of text: Span<UInt8>) -> Range<Int>? {
        let bytes = payload.span
        let quote = UInt8(ascii: "\"")
        var position = 0
        while let opening = ByteComparison.firstIndex(of: quote, in: bytes, from: position) {
            let place = opening + 1..<opening + 1 + text.count
            position = opening + 1
            guard place.upperBound < bytes.count else { return nil }
            if bytes[place.upperBound] == quote, ByteComparison.areEqual(bytes.extracting(place), text),
                !places.contains(where: { $0.overlaps(place) })
            {
                return place
            }
        }
        return nil
    }
}
