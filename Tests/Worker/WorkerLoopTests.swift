import FastCGI
@testable import Pool
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("A worker")
struct WorkerLoopTests {
    @Test("reports ready, answers requests that have arrived, and ends when it is told to drain")
    func drain() throws {
        let bench = try WorkerBench()
        let handler = EchoHandler()
        let client = try FastCGIClient(unixPath: bench.path)
        try client.send(Records.request(body: [1]))
        try bench.say(.drain(milliseconds: 5000))
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained)
        #expect(try bench.receivedMessages() == [.ready])
        #expect(try client.readReply().body == [1])
        #expect(client.isClosed())
    }

    @Test("ends when its supervisor is gone, after the request in progress")
    func supervisorGone() throws {
        let bench = try WorkerBench()
        let handler = EchoHandler()
        let client = try FastCGIClient(unixPath: bench.path)
        try client.send(Records.request(body: [1]))
        bench.supervisor = nil
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained)
        #expect(try client.readReply().body == [1])
    }

    @Test("asks once to be replaced after its number of requests, and serves until it must drain")
    func recycle() throws {
        var settings = WorkerSettings()
        settings.requestCountLimit = 3
        let bench = try WorkerBench(settings)
        let handler = EchoHandler()
        let client = try FastCGIClient(unixPath: bench.path)
        try client.send(Records.request())
        handler.duringRequest = { number in if number == 10 { try bench.say(.drain(milliseconds: 5000)) } }
        let others = try (0..<9).map { _ in try FastCGIClient(unixPath: bench.path) }
        for other in others { try other.send(Records.request(body: [7])) }
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained)
        #expect(try bench.receivedMessages() == [.ready, .recycle])
        #expect(handler.answeredCount == 10)
        for other in others { #expect(try other.readReply().body == [7]) }
    }

    @Test("ends after its number of requests when it has no supervisor")
    func standaloneLimit() throws {
        var settings = WorkerSettings()
        settings.requestCountLimit = 2
        let bench = try WorkerBench(settings, isStandalone: true)
        let clients = try (0..<2).map { _ in try FastCGIClient(unixPath: bench.path) }
        for client in clients { try client.send(Records.request()) }
        let outcome = bench.loop.run(EchoHandler())
        #expect(outcome == .drained)
        for client in clients { #expect(try client.readReply().status == 200) }
    }

    @Test("turns its loop although nothing happens")
    func turns() throws {
        var settings = WorkerSettings()
        settings.turnMilliseconds = 1
        let bench = try WorkerBench(settings)
        let handler = EchoHandler()
        handler.turnLimit = 20
        handler.atTurnLimit = { try bench.say(.drain(milliseconds: 0)) }
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained && handler.turnCount > 20)
    }

    @Test("passes chain hints on in both directions")
    func hints() throws {
        let bench = try WorkerBench()
        let handler = EchoHandler()
        handler.hintsToGive = [[8], [9]]
        try bench.say(.chainHint([1, 2]))
        try bench.say(.drain(milliseconds: 5000))
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained)
        #expect(handler.hintsTaken == [[1, 2]])
        #expect(try bench.receivedMessages() == [.ready, .chainHint([9]), .chainHint([8])])
    }

    @Test("does not wait for ever for a client that does not finish its request")
    func cutOff() throws {
        let bench = try WorkerBench()
        let client = try FastCGIClient(unixPath: bench.path)
        try client.send(Array(Records.request().dropLast()))
        try bench.say(.drain(milliseconds: 3_600_000))
        try bench.say(.drain(milliseconds: 30))
        let handler = EchoHandler()
        let outcome = bench.loop.run(handler)
        #expect(outcome == .cutOff(connectionCount: 1) && handler.leavesCount > 0)
        #expect(client.isClosed())
    }

    @Test(
        "does not wait for ever for a client that does not read its answer",
        arguments: [Farewell.drain, .quit, .hangup]
    )
    func slowReader(farewell: Farewell) throws {
        var settings = WorkerSettings()
        settings.quitMilliseconds = 30
        settings.drainMilliseconds = 30
        settings.fastCGI.sendMilliseconds = 3_600_000
        let bench = try WorkerBench(settings, isStandalone: farewell == .hangup)
        let handler = EchoHandler()
        // More than the buffers of a unix socket hold.
        handler.answer = [UInt8](repeating: 1, count: 700_000)
        let client = try FastCGIClient(unixPath: bench.path)
        try client.send(Records.request())
        switch farewell {
        case .quit: bench.loop.take(.quit, handler)
        case .hangup: bench.loop.take(.hangup, handler)
        default: try bench.say(.drain(milliseconds: 30))
        }
        let outcome = bench.loop.run(handler)
        #expect(outcome == .cutOff(connectionCount: 1))
        #expect(handler.answeredCount == 1)
    }

    @Test(
        "waits for a request in flight, even when drainMilliseconds is 0",
        arguments: [Farewell.drain, .quit, .hangup, .orphaned]
    )
    func requestInFlight(farewell: Farewell) throws {
        var settings = WorkerSettings()
        settings.drainMilliseconds = 0
        let bench = try WorkerBench(settings, isStandalone: farewell == .hangup)
        let handler = EchoHandler()
        // The last byte of one request comes two turns after the worker has begun to drain.
        let clients = try (0..<3).map { _ in try FastCGIClient(unixPath: bench.path) }
        let whole = Records.request(body: [9])
        try clients[0].send(Array(whole.dropLast()))
        try clients[1].send(Records.request())
        handler.duringRequest = { number in
            if number == 1 { try clients[2].send(Records.request()) }
            if number == 2 { try clients[0].send([whole[whole.count - 1]]) }
        }
        switch farewell {
        case .drain: try bench.say(.drain(milliseconds: 1000))
        case .quit: bench.loop.take(.quit, handler)
        case .hangup: bench.loop.take(.hangup, handler)
        case .orphaned:
            // The kernel does the same: it closes the socket, then sends the signal for the death of the parent.
            bench.supervisor = nil
            bench.loop.readControl(handler)
            bench.loop.take(.terminate, handler)
        }
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained)
        #expect(try clients[0].readReply().body == [9])
    }

    /// Why a worker ends.
    enum Farewell: Sendable, CaseIterable {
        case drain, quit, hangup, orphaned
    }

    @Test("ends on QUIT, TERM and INT", arguments: [Signal.quit, .terminate, .interrupt], [true, false])
    func signals(signal: Signal, isStandalone: Bool) throws {
        let bench = try WorkerBench(isStandalone: isStandalone)
        let handler = EchoHandler()
        bench.loop.take(signal, handler)
        let outcome = bench.loop.run(handler)
        #expect(outcome == .drained)
    }

    @Test("ends on HUP only when it has no supervisor, and reopens its logs on USR1")
    func otherSignals() throws {
        let handler = EchoHandler()
        let alone = try WorkerBench(isStandalone: true)
        alone.loop.take(.hangup, handler)
        let outcome = alone.loop.run(handler)
        #expect(outcome == .drained)
        let supervised = try WorkerBench()
        supervised.loop.take(.hangup, handler)
        supervised.loop.take(.user1, handler)
        let isLeaving = supervised.loop.isLeaving
        #expect(!isLeaving)
        #expect(handler.reopenCount == 1)
    }
}
