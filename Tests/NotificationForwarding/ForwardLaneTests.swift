import HTTPClient
import NotificationStore
import retentionctl
import Support
import Synchronization
import System
import Testing

@Suite("The lanes of forwarding")
struct ForwardLaneTests {
    @Test("delays no receiver while another one answers slowly, does not answer, or cannot be reached at all")
    func slow() throws {
        let (slow, fast, lost) = ("https://slow.example/", "https://fast.example/", "https://lost.example/")
        for answer in [FakeReceivers.Answer.status(200), .takenButLost] {
            let world = try ForwardWorld(count: 100)
            let transport = FakeReceivers(world.clock)
            transport.milliseconds = [slow: 10_000, fast: 10]
            transport.answer = { url, _, _ in url == slow ? answer : .status(200) }
            transport.unsendable = lost
            var fastWasComplete: Int64?
            var events: [ForwardEvent] = []
            let forwarder = try world.forwarder([lost, slow, fast], transport) { events.append($0) }
            let failing = try forwarder.run(follow: true) {
                if fastWasComplete == nil, transport.bodies[fast]?.count == 100 {
                    fastWasComplete = world.clock.time
                }
                return world.clock.time > 60_000
            }
            // All hundred before the slow receiver has answered once.
            #expect(try #require(fastWasComplete) < 10_000)
            #expect(transport.bodies[fast] == world.bodies)
            let sent = ForwardWorld.withoutRepetitions(transport.bodies[slow] ?? [])
            #expect(!sent.isEmpty && sent == Array(world.bodies.prefix(sent.count)))
            #expect(failing.contains("lost.example") && !failing.contains("fast.example"))
            let reasons = events.compactMap { event -> String? in
                if case .failed("lost.example", let reason, _) = event { reason } else { nil }
            }
            #expect(!reasons.isEmpty && reasons.allSatisfy { $0 == "http.bad-answer" })
        }
    }

    @Test("delays no receiver over real connections while another one hangs")
    func hangs() throws {
        let world = try ForwardWorld(count: 100)
        let isHeld = Mutex(true)
        let counts = Mutex((hanging: 0, fast: [[UInt8]]()))
        let hanging = try LoopbackServer { _ in
            counts.withLock { $0.hanging += 1 }
            while isHeld.withLock({ $0 }) { Clock.sleep(milliseconds: 5) }
            return .respond(status: 200)
        }
        defer { hanging.stop() }
        let fast = try LoopbackServer { request in
            counts.withLock { $0.fast.append(request.body) }
            return .respond(status: 200)
        }
        defer { fast.stop() }
        let receivers = try [hanging, fast].map { try ForwardReceiver(url: $0.url("/")) }
        let client = try HTTPClient(configuration: HTTPClientConfiguration())
        let forwarder = try Forwarder(world.store, receivers, client) { _ in }
        _ = try forwarder.run(follow: true) {
            guard counts.withLock({ $0.fast.count }) == 100 else { return false }
            // The first request still hangs, so the others did not wait for its answer.
            isHeld.withLock { $0 = false }
            return true
        }
        #expect(counts.withLock { $0.fast } == world.bodies)
        #expect(counts.withLock { $0.hanging } == 1)
    }
}
