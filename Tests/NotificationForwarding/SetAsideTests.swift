import NotificationStore
import retentionctl
import Support
import Testing

@Suite("What a receiver refuses, or does not get")
struct SetAsideTests {
    @Test(
        "sets aside what a receiver refuses five times, goes on behind it, and holds up no other receiver",
        arguments: [true, false]
    )
    func setAside(follows: Bool) throws {
        let world = try ForwardWorld(.sqlite, count: 12)
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
        var events: [ForwardEvent] = []
        let forwarder = try world.forwarder([bad, good], transport) { events.append($0) }
        let failing = try forwarder.run(follow: follows) {
            follows && (transport.taken[bad]?.count == 11 || world.clock.time > 3_600_000)
        }
        #expect(failing == [] && transport.bodies[good] == world.bodies)
        #expect(transport.taken[bad] == world.bodies.indices.filter { $0 != 2 }.map { world.bodies[$0] })
        #expect(attempts[world.bodies[2]] == 5 && attempts[world.bodies[4]] == 5)
        let aside = try world.store.setAside(for: receiver)
        #expect(aside.map(\.id) == [3] && aside.map(\.status) == [400])
        #expect(events.contains(.setAside(host: "bad.example", id: 3, status: 400)))
        #expect(try world.store.setAsideCount(for: receiver) == 1)
        #expect(try world.store.setAsideCount(for: ForwardReceiver(url: good)) == 0)
        // It goes with its notification.
        _ = try world.store.erase(.originalTransaction(ForwardWorld.subscription(2)))
        #expect(try world.store.setAsideCount(for: receiver) == 0)
    }

    @Test("pruning leaves what was set aside")
    func prunedAside() throws {
        let world = try ForwardWorld(.sqlite, count: 3)
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
}
