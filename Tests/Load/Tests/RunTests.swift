import Glibc
import HTTPLoad
import Support
import Synchronization
import System
import Testing

@Suite("A run of a load client", .timeLimit(.minutes(5)))
struct RunTests {
    private static let echo: [ScriptedServer.Step] = [
        .read, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .again,
    ]

    @Test("opens all connections before it begins, and uses as few as the rate needs")
    func connections() throws {
        let server = try ScriptedServer(Self.echo)
        defer { server.stop() }
        let plan = try server.plan(connections: 16).with {
            $0.requestLimit = 20
            $0.ratePerSecond = 200
        }
        let report = LoadClient(plan).run()
        #expect(report.good == 20)
        #expect(report.opened == 16)
        // The server may not have accepted all connections yet.
        for _ in 0..<60_000 where server.connectionCount < 16 { usleep(1000) }
        #expect(server.connectionCount == 16)
        #expect(report.failures == 0)
        // The last request is due 95 ms after the first.
        #expect(report.seconds >= 0.095)
    }

    @Test("sends the requests in turn, begins with the chosen request, and patches a copy of each")
    func requests() throws {
        let seen = Mutex<[String]>([])
        let server = try LoopbackServer { request in
            seen.withLock { $0.append(request.path) }
            return .respond(status: 200, body: Array(request.path.utf8))
        }
        defer { server.stop() }
        let requests = ["/a-", "/b-", "/c-"].map { RequestText.get($0) }
        let plan = LoadPlan(port: server.port, connections: 1, requests: requests).with {
            $0.requestLimit = 4
            $0.firstRequest = 1
            $0.patch = { number, bytes in bytes[6] = UInt8(ascii: "0") + UInt8(number) }
        }
        let report = LoadClient(plan).run()
        #expect(seen.withLock { $0 } == ["/b0", "/c1", "/a2", "/b3"])
        #expect(report.answers.keys.map(\.body).sorted() == ["/a2", "/b0", "/b3", "/c1"])
    }

    @Test("counts a late answer from the moment its request was due")
    func coordinatedOmission() throws {
        // Each answer takes 20 ms, and one is due each 5 ms: the tenth request waits for the nine others.
        let script: [ScriptedServer.Step] = [.read, .pause(milliseconds: 20)] + Self.echo.dropFirst()
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let plan = try server.plan().with {
            $0.requestLimit = 10
            $0.ratePerSecond = 200
        }
        let report = LoadClient(plan).run()
        #expect(report.good == 10)
        #expect(report.latency(1) >= 155_000)
        #expect(report.latency(0) >= 20_000)
    }

    @Test("counts the requests of an open loop that were due but never sent")
    func unsent() throws {
        let server = try ScriptedServer([.read, .hang])
        defer { server.stop() }
        let plan = try server.plan().with {
            $0.ratePerSecond = 20
            $0.seconds = 1
            $0.patienceSeconds = 1
        }
        let report = LoadClient(plan).run()
        #expect(report.sent == 1)
        #expect(report.stalled == 1)
        #expect(report.unsent == 19)
    }

    @Test("asks its judge about each answer and calls its timer")
    func judge() throws {
        let server = try ScriptedServer(Self.echo)
        defer { server.stop() }
        let counting = Counting()
        let plan = try server.plan().with {
            $0.requestLimit = 30
            $0.ratePerSecond = 300
            $0.judge = { arrival, body in
                counting.judged.add(1, ordering: .relaxed)
                return arrival.status == 200 && body.byteCount == 2 && arrival.latencyNanoseconds % 2 == 0
            }
            $0.timer = LoadTimer(firstSeconds: 0.01, everySeconds: 0.02) {
                counting.calls.add(1, ordering: .relaxed)
            }
        }
        let report = LoadClient(plan).run()
        #expect(counting.judged.load(ordering: .relaxed) == 30)
        #expect(counting.calls.load(ordering: .relaxed) > 1)
        #expect(report.count(status: 200) == 30)
        #expect(report.good == report.latencies.count)
        #expect(report.failures == 30 - report.good)
        #expect(report.answers.isEmpty)
    }

    @Test("ends after `stop()`, with an answer to every request that it has sent")
    func stopping() throws {
        let server = try ScriptedServer(Self.echo)
        defer { server.stop() }
        let client = LoadClient(try server.plan(connections: 4))
        let running = try client.start()
        for _ in 0..<60_000 where client.answered < 100 { usleep(1000) }
        client.stop()
        let report = try #require(running.join())
        #expect(report.failures == 0)
        #expect(report.answered == report.sent)
        #expect(client.answered == report.answered)
    }

    @Test("opens a connection again that the server closed while it was idle")
    func closedIdle() throws {
        let script = Array(Self.echo.dropLast()) + [.pause(milliseconds: 10)]
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let plan = try server.plan().with {
            $0.requestLimit = 3
            $0.ratePerSecond = 1
        }
        let report = LoadClient(plan).run()
        #expect(BehaviourRow.summary(report) == "3 x 200 ok, opened 3")
        #expect(report.closedIdle >= 2)
    }

    @Test("sees that the server closed the connection together with its answer", arguments: [false, true])
    func closedBehindAnswer(isTLS: Bool) throws {
        let script: [ScriptedServer.Step] = [.read, .cork, Self.echo[1]]
        let certificate = isTLS ? try BehaviourTests.certificate.get() : nil
        let server = try ScriptedServer(script, certificate: certificate)
        defer { server.stop() }
        let report = LoadClient(try server.plan().with { $0.requestLimit = 20 }).run()
        #expect(BehaviourRow.summary(report) == "20 x 200 ok, opened 20")
        #expect(report.closedIdle == 20)
    }
}

/// Counts the calls of the judge and of the timer.
private final class Counting: Sendable {
    let judged = Atomic<Int>(0)
    let calls = Atomic<Int>(0)
}
