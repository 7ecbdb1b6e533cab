import AppStoreSimulator
@testable import Recorder
import Support
import Testing

@Suite("The log line of a refused notification")
struct RefusalLogTests {
    @Test(
        "names the bundle identifier of an app or environment that is not configured, and no subscriber",
        arguments: [
            ("bundleId", #""com.example.other""#, "app-unknown", "bundleId com.example.other"),
            ("appAppleId", "531412", "app-unknown", "bundleId \(TestPayload.bundleId), appAppleId 531412"),
            ("appAppleId", nil, "app-unknown", "bundleId \(TestPayload.bundleId), no appAppleId"),
            ("environment", #""Staging""#, "environment-not-configured", "bundleId \(TestPayload.bundleId)"),
            ("environment", nil, "environment-not-configured", "bundleId \(TestPayload.bundleId)"),
        ] as [(String, String?, String, String)]
    )
    func bundle(member: String, json: String?, code: String, detail: String) throws {
        let bench = try RecorderBench()
        var payload = try bench.forge.notification("DID_RENEW", nil, number: 1)
        payload.object.set(member, json: json)
        let reply = try bench.reply(bench.forge.body(payload))
        #expect(reply.status == 403 && reply.hasCode(code))
        let line = try #require(bench.log.split(separator: "\n").first { $0.contains("code=\(code)") })
        #expect(line.contains("detail=\"\(detail)\""), "\(line)")
        #expect(!line.contains("\(bench.forge.subscription.originalTransactionId)"))
    }
}
