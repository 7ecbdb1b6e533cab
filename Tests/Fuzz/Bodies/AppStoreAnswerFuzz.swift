@testable internal import AppStoreServerAPI
internal import System

/// The body of the fuzzer of answers: reads any bytes as every answer of Apple's server, as a refusal, and as the
/// file of rates. A file of rates that is read must be written in the same way again.
public func fuzzAppStoreAnswer(_ bytes: Span<UInt8>) {
    let body = bytes.copied()
    let refusal = AnswerReading.refusal(status: 400, body: body)
    _ = AppStoreServerAPIError.refused(refusal).description
    if let root = try? AnswerValue.root(of: body, isHTML: false) {
        _ = try? AnswerReading.messages(root)
        _ = try? AnswerReading.images(root)
        _ = try? AnswerReading.notificationHistory(root)
        _ = try? AnswerReading.testNotificationToken(root)
        _ = try? AnswerReading.sent(root)
        _ = try? AnswerReading.subscriptionStatuses(root)
        _ = try? AnswerReading.transactionHistory(root)
        _ = try? AnswerReading.transactionInfo(root)
        _ = try? AnswerReading.defaultMessage(root)
        _ = try? AnswerReading.realtimeURL(root)
        _ = try? AnswerReading.performanceTest(root)
        _ = try? AnswerReading.performanceTestResult(root)
    }
    guard var ledger = try? RateLedger(reading: body) else { return }
    guard let again = try? RateLedger(reading: ledger.json), again == ledger else {
        preconditionFailure("a ledger changes when it is written")
    }
    for now: Int64 in [0, 1_795_219_200_000, 253_402_300_800_000] {
        ledger.advance(to: now)
        for key in ledger.windows.keys {
            _ = ledger.estimate([PlannedCalls(key, count: 3)], at: now)
            _ = ledger.reserve(key, at: now)
        }
    }
}
