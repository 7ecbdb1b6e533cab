import HTTPClient
import NotificationStore
import retentionctl
import Support
import Synchronization
import System
import Testing

@Suite("Forwarding")
struct ForwarderTests {
    @Test("passes everything on in the order of storing, once for each receiver, and goes on behind it")
    func order() throws {
        let world = try ForwardWorld(count: 45)
        let transport = FakeReceivers(world.clock)
        let forwarder = try world.forwarder(
            ["https://a.example/n?key=secret", "https://b.example/n"], transport)
        #expect(try forwarder.run(follow: false) == [])
        #expect(transport.bodies["https://a.example/n?key=secret"] == world.bodies)
        #expect(transport.bodies["https://b.example/n"] == world.bodies)
        let more = try world.add(3)
        let second = FakeReceivers(world.clock)
        #expect(try world.forwarder(["https://b.example/n"], second).run(follow: false) == [])
        #expect(second.bodies["https://b.example/n"] == more)
        let names = try world.store.cursorNames()
        #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("forward:") && !$0.contains("secret") })
    }

    static let failures: [(answer: FakeReceivers.Answer, reason: String)] = [
        (.status(500), "status 500"), (.status(503), "status 503"), (.status(408), "status 408"),
        (.status(425), "status 425"), (.status(429), "status 429"),
        (.status(301), "status 301"), (.status(307), "status 307"), (.status(304), "status 304"),
        (.lost, "http.no-answer"), (.takenButLost, "http.no-answer"),
    ]

    @Test(
        "sends again until the receiver takes it, skips nothing, and holds up no other receiver",
        arguments: failures.indices
    )
    func down(index: Int) throws {
        let row = Self.failures[index]
        let world = try ForwardWorld(count: 12)
        let transport = FakeReceivers(world.clock)
        let (bad, good) = ("https://bad.example/", "https://good.example/")
        // The receiver is down for five hours, from its fifth notification on.
        transport.answer = { url, count, time in
            guard url == bad, count >= 4, time < 5 * 3_600_000 else { return .status(200) }
            return row.answer
        }
        var lines: [String] = []
        var goodWasComplete: Int64?
        let forwarder = try world.forwarder([bad, good], transport) { lines.append($0) }
        let failing = try forwarder.run(follow: true) {
            if goodWasComplete == nil, transport.bodies[good]?.count == 12 {
                goodWasComplete = world.clock.time
            }
            let count = ForwardWorld.withoutRepetitions(transport.taken[bad] ?? []).count
            return count == 12 || world.clock.time > 10 * 3_600_000
        }
        #expect(failing == [])
        #expect(transport.taken[bad].map(ForwardWorld.withoutRepetitions) == world.bodies)
        #expect(transport.bodies[good] == world.bodies)
        let complete = try #require(goodWasComplete)
        #expect(complete < 60_000)
        #expect(lines.contains("bad.example: answers again"))
        let pauses = lines.compactMap { line -> Int64? in
            let start = "bad.example: \(row.reason), again in "
            guard line.hasPrefix(start) else { return nil }
            return Int64(line.dropFirst(start.count).dropLast(2))
        }
        #expect(pauses.first == 1 && pauses.max() == 300)
        #expect(pauses.count < 80)
    }

    @Test(
        "waits as long as the receiver asks for, up to an hour",
        arguments: [("120", 120_000), ("999999", 3_600_000), ("soon", 1000)]
    )
    func retryAfter(value: String, milliseconds: Int64) throws {
        let world = try ForwardWorld(count: 1)
        let transport = FakeReceivers(world.clock)
        var times: [Int64] = []
        transport.answer = { _, _, time in
            times.append(time)
            return times.count == 1 ? .retry(value) : .status(204)
        }
        _ = try world.forwarder(["https://a.example/"], transport).run(follow: true) { times.count == 2 }
        #expect(times.count == 2 && times[1] - times[0] >= milliseconds)
        #expect(times[1] - times[0] < milliseconds + 2000)
    }

    @Test(
        "passes on everything in order to a receiver that is down for hours, slow, and gets notifications twice"
    )
    func everything() throws {
        let hour: Int64 = 3_600_000
        let world = try ForwardWorld(count: 40)
        let url = "https://bad.example/"
        let receiver = try ForwardReceiver(url: url)
        let transport = FakeReceivers(world.clock)
        transport.milliseconds[url] = 9_000
        var sentCount = 0
        transport.answer = { _, count, time in
            sentCount += 1
            // Down for five hours from the tenth notification on; then each third answer comes too late.
            if count >= 10, time < 5 * hour { return sentCount % 2 == 0 ? .lost : .status(503) }
            return sentCount % 3 == 0 ? .takenButLost : .status(200)
        }
        #expect(try world.store.oldestWaiting(for: receiver) == TestPKI.now)
        var later: [Int64] = []
        let forwarder = try world.forwarder([url], transport)
        let failing = try forwarder.run(follow: true) {
            // Notifications come while the receiver is down, and afterwards.
            if later.count < 4,
                world.clock.time > Int64(later.count + 1) * 2 * hour
                    || (later.count == 3 && transport.taken[url]?.count ?? 0 > 40)
            {
                later.append(world.clock.time)
                _ = try? world.add(5)
            }
            let count = ForwardWorld.withoutRepetitions(transport.taken[url] ?? []).count
            return count == 60 || world.clock.time > 20 * hour
        }
        #expect(failing == [] && later.count == 4)
        let taken = transport.taken[url] ?? []
        #expect(ForwardWorld.withoutRepetitions(taken) == world.bodies && taken.count > 60)
        #expect(try world.store.oldestWaiting(for: receiver) == nil)
        #expect(try world.reopened().store.oldestWaiting(for: receiver) == nil)
    }

    @Test("loses and reorders nothing when it is killed at any point", arguments: 0..<37)
    func killed(point: Int) throws {
        let world = try ForwardWorld(count: 150)
        var taken: [[UInt8]] = []
        // The first program vanishes while it sends the request with that number; its forwarder is never used again.
        let first = FakeReceivers(world.clock)
        first.dies = point * 4
        let dying = try world.forwarder(["https://a.example/"], first)
        _ = try? dying.run(follow: false) { first.isDead }
        taken += first.taken["https://a.example/"] ?? []
        let second = FakeReceivers(world.clock)
        #expect(try world.reopened().forwarder(["https://a.example/"], second).run(follow: false) == [])
        let again = second.taken["https://a.example/"] ?? []
        // The second program begins at most a hundred notifications before the place of the first, and then skips nothing.
        let start = try #require(world.bodies.firstIndex(of: again.first ?? world.bodies[149]))
        #expect(start <= taken.count && taken.count - start <= 101)
        #expect(Array(world.bodies[..<taken.count]) == taken)
        #expect(Array(world.bodies[start...]) == again)
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

    @Test(
        "sets aside what a receiver refuses five times, goes on behind it, and holds up no other receiver",
        arguments: [true, false]
    )
    func setAside(follows: Bool) throws {
        let world = try ForwardWorld(count: 12)
        let (bad, good) = ("https://bad.example/", "https://good.example/")
        let receiver = try ForwardReceiver(url: bad)
        let transport = FakeReceivers(world.clock)
        // The receiver refuses the third notification always and the fifth four times.
        var attempts: [[UInt8]: Int] = [:]
        transport.answer = { url, _, _ in
            guard url == bad, let body = transport.bodies[bad]?.last else { return .status(200) }
            attempts[body, default: 0] += 1
            if body == world.bodies[2] { return .status(400) }
            return body == world.bodies[4] && attempts[body] ?? 0 < 5 ? .status(422) : .status(200)
        }
        var lines: [String] = []
        let forwarder = try world.forwarder([bad, good], transport) { lines.append($0) }
        let failing = try forwarder.run(follow: follows) {
            follows && (transport.taken[bad]?.count == 11 || world.clock.time > 3_600_000)
        }
        #expect(failing == [] && transport.bodies[good] == world.bodies)
        #expect(transport.taken[bad] == world.bodies.indices.filter { $0 != 2 }.map { world.bodies[$0] })
        #expect(attempts[world.bodies[2]] == 5 && attempts[world.bodies[4]] == 5)
        let aside = try world.store.setAside(for: receiver)
        #expect(aside.map(\.id) == [3] && aside.map(\.status) == [400])
        #expect(
            lines.contains {
                $0.hasPrefix("bad.example: notification 3 is set aside, ") && $0.hasSuffix(" 400")
            })
        #expect(try world.store.setAsideCount(for: receiver) == 1)
        #expect(try world.store.setAsideCount(for: ForwardReceiver(url: good)) == 0)
        // It goes with its notification.
        _ = try world.store.erase(.originalTransaction(ForwardWorld.subscription(2)))
        #expect(try world.store.setAsideCount(for: receiver) == 0)
    }

    @Test("pruning leaves what was set aside")
    func prunedAside() throws {
        let world = try ForwardWorld(count: 3)
        let transport = FakeReceivers(world.clock)
        transport.answer = { _, _, _ in .status(403) }
        #expect(try world.forwarder(["https://a.example/"], transport).run(follow: false) == [])
        let receiver = try ForwardReceiver(url: "https://a.example/")
        #expect(try world.store.setAsideCount(for: receiver) == 3)
        #expect(try world.store.prune(receivedBefore: .max, keepingTypes: []) == 0)
        #expect(try world.store.setAsideCount(for: receiver) == 3)
        try world.store.removeSetAside(receiver: receiver.name)
        #expect(try world.store.prune(receivedBefore: .max, keepingTypes: []) == 3)
    }

    @Test(
        "passes on what matches the lists of the receiver, and moves on behind the rest",
        arguments: [
            (ForwardFilter(environments: ["Sandbox"], apps: ["com.example.app"]), true),
            (ForwardFilter(environments: ["Production"]), false), (ForwardFilter(apps: ["other"]), false),
            (ForwardFilter(types: ["DID_RENEW", "SUBSCRIBED", "TEST", "EXPIRED"]), true),
            (ForwardFilter(types: ["REFUND_DECLINED"]), false),
        ]
    )
    func filtered(filter: ForwardFilter, matches: Bool) throws {
        let world = try ForwardWorld(count: 45)
        let transport = FakeReceivers(world.clock)
        let receiver = try ForwardReceiver(url: "https://a.example/", filter: filter)
        let forwarder = try Forwarder(world.store, [receiver], transport, timing: world.clock.timing) { _ in }
        #expect(try forwarder.run(follow: false) == [])
        #expect(transport.bodies["https://a.example/"] == (matches ? world.bodies : nil))
        #expect(try world.store.cursor(named: receiver.cursorName)?.position == 45)
        #expect(try world.store.oldestWaiting(for: receiver) == nil)
    }

    @Test("goes on behind rows that were erased or pruned")
    func deleted() throws {
        let world = try ForwardWorld(count: 10)
        _ = try world.store.prune(receivedBefore: .max, keepingTypes: [])
        let rest = try world.add(2)
        let transport = FakeReceivers(world.clock)
        #expect(try world.forwarder(["https://a.example/"], transport).run(follow: false) == [])
        #expect(transport.bodies["https://a.example/"] == rest)
        #expect(try world.forwarder(["https://a.example/"], transport).run(follow: false) == [])
        #expect(transport.bodies["https://a.example/"]?.count == 2)
    }

    @Test("does not pass on what was erased after it was read", arguments: [true, false])
    func erased(fails: Bool) throws {
        let world = try ForwardWorld(count: 12)
        let url = "https://a.example/"
        let transport = FakeReceivers(world.clock)
        transport.milliseconds[url] = 9_000
        var attemptCount = 0
        transport.answer = { _, _, _ in
            attemptCount += 1
            guard attemptCount == 3 else { return .status(200) }
            // The request of the third notification is under way, and the fifth was read together with it.
            for number in [2, 4] {
                _ = try? world.store.erase(.originalTransaction(ForwardWorld.subscription(number)))
            }
            return fails ? .status(500) : .status(200)
        }
        let forwarder = try world.forwarder([url], transport)
        #expect(try forwarder.run(follow: true) { attemptCount >= 11 || world.clock.time > 3_600_000 } == [])
        var expected = world.bodies
        expected.remove(at: 4)
        #expect(transport.bodies[url] == expected)
    }

    @Test(
        "takes https, and http for this machine alone",
        arguments: [
            ("https://example.com:8443/a/b?c=d", true), ("HTTPS://EXAMPLE.com/", true),
            ("http://127.0.0.1:80/", true), ("http://localhost/x", true), ("http://[::1]:9/", true),
            ("http://example.com/", false), ("http://127.0.0.1.example.com/", false),
            ("http://127.0.0.1@example.com/", false), ("https://user:secret@example.com/", false),
            ("https://example.com/#a", false), ("https://", false), ("ftp://example.com", false),
            ("https://example.com:0/", false), ("https://:443/", false),
            ("https://example.com/\r\nHost: a", false), ("", false), ("unix:/run/a", false),
        ]
    )
    func urls(text: String, isGood: Bool) {
        do throws(NotificationStoreError) {
            let destination = try ForwardReceiver(url: text)
            #expect(isGood && destination.url == text)
        } catch {
            #expect(!isGood && error.code == "forward.bad-url")
            #expect(!error.description.contains("secret"))
        }
    }
}
