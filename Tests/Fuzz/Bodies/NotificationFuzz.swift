internal import JSON
@testable package import SignedPayloads

package struct NotificationFuzz {
    private let verifier: SignedPayloadVerifier

    package init() throws(AnchorError) {
        verifier = try SignedPayloadsFuzz.verifier()
    }

    /// Takes a whole body through every step of the verification. No body may pass, because the fuzzer has no key of
    /// Apple's.
    package func body(_ bytes: Span<UInt8>) {
        let verified = try? verifier.verifyNotification(body: bytes, nowMilliseconds: 1_780_272_000_000)
        precondition(verified == nil, "a body passed without a signature of Apple's")
    }

    package static func payload(_ bytes: Span<UInt8>) {
        guard let document = try? SignedJSON.object(bytes),
            let notification = try? Notification(document.root)
        else { return }
        precondition(!notification.notificationType.rawValue.isEmpty)
        precondition(!notification.notificationUUID.isEmpty)
        check(notification.subtype?.rawValue)
        check(notification.version)
        check([notification.bundleId, notification.environment, notification.bundleVersion])
        check(notification.productId)
        precondition(notification.object != nil || notification.bundleId == nil)
    }

    package static func part(_ bytes: Span<UInt8>) {
        guard let document = try? SignedJSON.object(bytes)
        else { return }
        let transaction = Transaction(document.root)
        check([
            transaction.transactionId, transaction.originalTransactionId, transaction.productId,
            transaction.currency, transaction.appAccountToken, transaction.offerIdentifier,
        ])
        check(transaction.advancedCommerceSKUs ?? [])
        check(date: transaction.purchaseDate)
        check(date: transaction.expiresDate)
        let renewal = RenewalInfo(document.root)
        check([renewal.originalTransactionId, renewal.autoRenewProductId, renewal.offerIdentifier])
        check(date: renewal.renewalDate)
        let download = AppTransaction(document.root)
        check([download.appTransactionId, download.bundleId, download.receiptType])
        check(date: download.preorderDate)
    }

    private static func check(_ texts: [String?]) {
        for text in texts { check(text) }
    }

    private static func check(_ text: String?) {
        guard let text else { return }
        precondition(!text.isEmpty && text.utf8.count <= SignedPayloadsLimits.identifierByteCount)
    }

    private static func check(date: Int64?) {
        guard let date else { return }
        precondition(MemberReader.dates.contains(date))
    }
}
