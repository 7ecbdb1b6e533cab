import Support
import Synchronization
import Testing

@Suite("The rates of retentionctl apple")
struct AppleRateTests {
    @Test("make a command wait and say until when")
    func waiting() throws {
        let count = Mutex(0)
        let world = try AppleWorld { _ in
            let number = count.withLock { value in
                value += 1
                return value
            }
            guard number == 1 else { return AppleWorld.json(#"{"realtimeURL":"https://a"}"#) }
            return .respond(status: 429, headers: ["Retry-After: 2"])
        }
        let run = try world.run(["api", "getURL"])
        #expect(run.status == 0 && run.output == "{\"realtimeURL\":\"https://a\"}\n")
        let told = "Get Realtime URL: Apple allows no more calls now; waiting 2 s, until "
        #expect(run.errors.hasPrefix(told), "\(run.errors)")
    }
}
