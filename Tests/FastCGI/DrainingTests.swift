import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Draining the FastCGI server")
struct DrainingTests {
    private func turn(_ bench: ServedBench) throws {
        _ = try bench.server.turn(timeoutMilliseconds: nil) { request in bench.handle(&request) }
    }

    @Test("answers requests that have arrived on kept connections, and closes idle connections")
    func keptConnections() throws {
        var settings = FastCGISettings()
        settings.lingerMilliseconds = 0
        let bench = try ServedBench(settings)
        let idle = try bench.connect()
        let busy = try bench.connect()
        for client in [idle, busy] {
            try client.send(Records.request(body: [1]))
            try bench.settle()
            _ = try client.readReply()
        }
        try busy.send(Records.request(body: [2]))
        bench.drain()
        #expect(try busy.readReply().body == [2])
        #expect(busy.isClosed())
        #expect(idle.isClosed())
        #expect(bench.server.connectionCount == 0)
        #expect(throws: (any Error).self) { try idle.send([1]) }
    }

    @Test("waits a little for the next request on a connection that was just used")
    func linger() throws {
        var settings = FastCGISettings()
        settings.lingerMilliseconds = 3_600_000
        let bench = try ServedBench(settings)
        let client = try bench.connect()
        try client.send(Records.request(body: [1]))
        try bench.settle()
        _ = try client.readReply()
        bench.drain()
        #expect(bench.server.connectionCount == 1)
        try client.send(Records.request(body: [2]))
        try turn(bench)
        #expect(try client.readReply().body == [2])
        #expect(client.isClosed())
        #expect(bench.server.connectionCount == 0)
    }

    @Test("accepts the connections that wait in the queue")
    func queued() throws {
        let bench = try ServedBench()
        let clients = try (0..<50).map { _ in try bench.connect() }
        for client in clients.dropLast() { try client.send(Records.request(body: [1])) }
        bench.drain()
        for client in clients.dropLast() { #expect(try client.readReply().body == [1]) }
        // The last client has only connected. Its request is about to come.
        #expect(bench.server.connectionCount == 1)
        try clients[49].send(Records.request(body: [2]))
        try turn(bench)
        #expect(try clients[49].readReply().body == [2])
        #expect(clients[49].isClosed())
        #expect(bench.server.connectionCount == 0)
    }

    @Test("leaves later connections to other workers")
    func later() throws {
        let bench = try ServedBench()
        bench.drain()
        let client = try bench.connect()
        try client.send(Records.request())
        try turn(bench)
        #expect(client.isSilent())
        #expect(bench.server.counts.acceptedCount == 0)
    }

    @Test("waits for a request that has begun")
    func begun() throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        let bytes = Records.request(body: pattern(100))
        try client.send(Array(bytes[..<50]))
        try bench.settle()
        bench.drain()
        #expect(bench.server.connectionCount == 1)
        try client.send(Array(bytes[50...]))
        try turn(bench)
        #expect(try client.readReply().body == pattern(100))
        #expect(client.isClosed())
        #expect(bench.server.connectionCount == 0)
    }

    @Test("gives up a silent new connection after a while")
    func silent() throws {
        var settings = FastCGISettings()
        settings.freshMilliseconds = 30
        let bench = try ServedBench(settings)
        let client = try bench.connect()
        bench.drain()
        #expect(bench.server.connectionCount == 1)
        while bench.server.connectionCount > 0 { try turn(bench) }
        #expect(client.isClosed())
    }
}
