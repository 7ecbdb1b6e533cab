@testable internal import AppStoreServerAPI
internal import System

package func fuzzAppStoreAnswer(_ bytes: Span<UInt8>) {
    let body = bytes.copied()
    let refusal = AnswerReading.refusal(status: 400, body: body)
    _ = AppStoreServerAPIError.refused(refusal).description
    if let root = try? AnswerValue.root(of: body) {
        _ = try? AnswerReading.messages(root)
        _ = try? AnswerReading.images(root)
        _ = try? AnswerReading.notificationHistory(root)
        _ = try? AnswerReading.testNotificationToken(root)
        _ = try? AnswerReading.sent(root)
        _ = try? AnswerReading.subscriptionStatuses(root)
        _ = try? AnswerReading.transactionHistory(root)
        _ = try? AnswerReading.defaultMessage(root)
        _ = try? AnswerReading.realtimeURL(root)
    }
}
