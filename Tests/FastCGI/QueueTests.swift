@testable import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("The queue of the FastCGI server")
struct QueueTests {
    /// A server whose classifier reads the parameter QUEUE: `at 5` was received at millisecond 5, `now` at an unknown time.
    /// A request without the parameter is answered at once.
    private static func bench(_ change: (inout FastCGISettings) -> Void = { _ in }) throws -> ServedBench {
        var settings = FastCGISettings()
        change(&settings)
        let bench = try ServedBench(settings)
        bench.server.classifier = { parameters, _ in
            var kind = RequestClass.prompt
            ParameterPairs.forEach(in: parameters) { name, value in
                guard parameters.extracting(name).isEqual(to: "QUEUE") else { return }
                let text = String(decoding: value.map { parameters[$0] }, as: UTF8.self)
                kind = .queued(receivedMilliseconds: text == "now" ? nil : Int64(text.dropFirst(3)))
            }
            return kind
        }
        return bench
    }

    private static func oneByOne(_ settings: inout FastCGISettings) {
        settings.sliceNanoseconds = 0
    }

    private static func queued(_ queue: String = "now", _ body: UInt8, keep: Bool = true) -> [UInt8] {
        Records.request([("QUEUE", queue)], body: [body], keep: keep)
    }

    private func keptClient(_ bench: ServedBench) throws -> FastCGIClient {
        let client = try bench.connect()
        try client.send(Records.request(body: [0]))
        try bench.settle()
        _ = try client.readReply()
        (bench.bodies, bench.overloads) = ([], [])
        return client
    }

    @Test("answers the oldest request first, on new and kept connections alike")
    func order() throws {
        let bench = try Self.bench()
        let kept = try (0..<4).map { _ in try keptClient(bench) }
        let new = try (0..<4).map { _ in try bench.connect() }
        // The times in the order in which the bytes arrive: the newest request comes first.
        for (index, client) in (kept + new).enumerated() {
            let time = [80, 30, 60, 10, 70, 20, 50, 40][index]
            try client.send(Self.queued("at \(time)", UInt8(time)))
        }
        try bench.settle()
        #expect(bench.bodies == [10, 20, 30, 40, 50, 60, 70, 80].map { [$0] })
        for client in kept + new { #expect(try client.readReply().status == 200) }
    }

    @Test(
        "takes one connection of a burst at a time and answers in between, so that other workers get theirs")
    func burst() throws {
        let bench = try Self.bench()
        let clients = try (0..<4).map { _ in try bench.connect() }
        for (index, client) in clients.enumerated() { try client.send(Self.queued("now", UInt8(index))) }
        for count in 1...4 {
            try bench.turn()
            #expect(bench.server.connectionCount == count)
            #expect(bench.bodies == (0..<count).map { [UInt8($0)] })
        }
        for client in clients { _ = try client.readReply() }
    }

    @Test("refuses what is above the number of requests that may wait")
    func full() throws {
        let bench = try Self.bench { $0.queueCountLimit = 3 }
        let clients = try (0..<5).map { _ in try keptClient(bench) }
        for (index, client) in clients.enumerated() { try client.send(Self.queued("now", UInt8(index))) }
        try bench.settle()
        #expect(bench.bodies == [3, 4, 0, 1, 2].map { [$0] })
        #expect(bench.overloads == [true, true, false, false, false])
    }

    @Test("keeps a connection free for a new one, however many requests may wait")
    func connectionLimit() throws {
        let bench = try Self.bench { $0.connectionCountLimit = 3 }
        let clients = try (0..<2).map { _ in try keptClient(bench) } + [try bench.connect()]
        for (index, client) in clients.enumerated() { try client.send(Self.queued("now", UInt8(index))) }
        try bench.settle()
        #expect(bench.overloads == [true, false, false])
        for client in clients { _ = try client.readReply() }
    }

    @Test("answers other requests at once, although the queue is long")
    func prompt() throws {
        let bench = try Self.bench()
        let clients = try (0..<6).map { _ in try keptClient(bench) }
        for (index, client) in clients.dropLast().enumerated() {
            try client.send(Self.queued("now", UInt8(index)))
        }
        try clients[5].send(Records.request(body: [9]))
        try bench.settle()
        #expect(bench.bodies == [9, 0, 1, 2, 3, 4].map { [$0] })
    }

    @Test("takes requests in pieces and with padding like others")
    func pieces() throws {
        let bench = try Self.bench()
        let clients = try (0..<3).map { _ in try keptClient(bench) }
        let whole = Self.queued("at 1", 1)
        try clients[0].send(Array(whole[..<30]))
        try clients[1].send(Self.queued("at 3", 3))
        try clients[2].send(Records.padded(Records.begin(), with: [0, 0]) + Self.queued("at 2", 2)[16...])
        bench.duringRequest = {
            bench.duringRequest = {}
            try? clients[0].send(Array(whole[30...]))
        }
        try bench.settle()
        #expect(bench.bodies == [2, 3, 1].map { [$0] })
        for client in clients { #expect(try client.readReply().status == 200) }
    }

    @Test("does no work for a client that has gone, and closes its connection at once")
    func gone() throws {
        let bench = try Self.bench { Self.oneByOne(&$0) }
        var clients = try (0..<3).map { _ in try keptClient(bench) }
        for (index, client) in clients.enumerated() { try client.send(Self.queued("now", UInt8(index))) }
        bench.duringRequest = {
            bench.duringRequest = {}
            clients.removeLast(2)
        }
        try bench.settle()
        #expect(bench.bodies == [[0]])
        #expect(bench.server.counts.abandonedCount == 2 && bench.server.connectionCount == 1)
        #expect(bench.server.queue.count == 0)
    }

    @Test("answers a request whose client sends nothing more, and closes the connection")
    func finished() throws {
        let bench = try Self.bench()
        let client = try keptClient(bench)
        try client.send(Self.queued("now", 1))
        client.finishSending()
        try bench.settle()
        #expect(try client.readReply().body == [1])
        #expect(client.isClosed() && bench.server.connectionCount == 0)
    }

    @Test("is answered to its end when the server drains")
    func draining() throws {
        let bench = try Self.bench { $0.lingerMilliseconds = 0 }
        let kept = try (0..<2).map { _ in try keptClient(bench) }
        let new = try (0..<2).map { _ in try bench.connect() }
        for (index, client) in (kept + new).enumerated() {
            try client.send(Self.queued("now", UInt8(index)))
        }
        bench.drain()
        #expect(bench.server.queue.count == 4 && bench.bodies.isEmpty)
        try bench.settle()
        // New connections are accepted before the server looks at the kept ones.
        #expect(bench.bodies == [2, 3, 0, 1].map { [$0] })
        for client in kept + new {
            #expect(try client.readReply().status == 200)
            #expect(client.isClosed())
        }
        #expect(bench.server.connectionCount == 0)
    }
}
