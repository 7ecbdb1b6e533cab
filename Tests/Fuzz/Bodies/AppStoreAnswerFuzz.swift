internal import AppStoreServerAPI
internal import System

/// What a fuzzer feeds: reads any bytes as each answer of Apple's server. Nothing may trap.
package func fuzzAppStoreAnswer(_ bytes: Span<UInt8>) {
    let body = bytes.copied()
    _ = Answers.refusal(status: 400, body: body)
    _ = try? Answers.decode(MessageList.self, body)
    _ = try? Answers.decode(ImageList.self, body)
    _ = try? Answers.decode(NotificationHistoryResponse.self, body)
    _ = try? Answers.decode(TestNotification.self, body)
    _ = try? Answers.decode(SentNotification.self, body)
    _ = try? Answers.decode(SubscriptionStatusesResponse.self, body)
    _ = try? Answers.decode(TransactionHistoryResponse.self, body)
    _ = try? Answers.decode(DefaultMessage.self, body)
    _ = try? Answers.decode(RealtimeURL.self, body)
}
