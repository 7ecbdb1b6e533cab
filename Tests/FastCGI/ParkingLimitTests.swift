import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Limits of parked requests, and their draining")
struct ParkingLimitTests {
    @Test("above the number are answered by the handler at once, until one is answered")
    func number() throws {
        let bench = try ServedBench.parking { $0.parkedCountLimit = 3 }
        var clients: [FastCGIClient] = []
        for index in 0..<5 as Range<UInt8> {
            let client = try bench.connect()
            try client.send(Records.request(body: [index]))
            try bench.settle()
            clients.append(client)
        }
        #expect(bench.server.parkedCount == 3)
        for client in clients[3...] { #expect(try client.readReply().status == 503) }
        #expect(bench.answerParked(1, [1]))
        #expect(try clients[1].readReply().status == 200)
        try clients[4].send(Records.request(body: [4]))
        try bench.settle()
        #expect(bench.server.parkedCount == 3 && clients[4].isSilent())
    }

    @Test("above the bytes are answered by the handler at once, and smaller ones still find room")
    func bytes() throws {
        let bench = try ServedBench.parking { $0.parkedByteCountLimit = 1_000 }
        func send(_ byteCount: Int) throws -> FastCGIClient {
            let client = try bench.connect()
            try client.send(Records.request(body: pattern(byteCount)))
            try bench.settle()
            return client
        }
        #expect(try send(1_001).readReply().status == 503)
        let first = try send(600)
        #expect(try send(401).readReply().status == 503)
        let second = try send(400)
        #expect(first.isSilent() && second.isSilent())
        #expect(try send(1).readReply().status == 503)
        let third = try send(0)
        #expect(bench.server.parkedCount == 3 && third.isSilent())
        #expect(bench.answerParked([1]))
        #expect(try send(601).readReply().status == 503)
        #expect(try send(600).isSilent())
    }

    @Test("count until they are answered, also when their clients have gone")
    func goneCount() throws {
        let bench = try ServedBench.parking { $0.parkedCountLimit = 2 }
        for _ in 0..<2 {
            try bench.connect().send(Records.request(body: [1]))
            try bench.settle()
        }
        // A flood of clients that go at once gets no more places.
        for _ in 0..<50 {
            let client = try bench.connect()
            try client.send(Records.request(body: [2]))
            try bench.settle()
            #expect(try client.readReply().status == 503)
        }
        #expect(bench.server.parkedCount == 2)
        #expect(!bench.answerParked([3]))
        #expect(!bench.answerParked([3]))
        let client = try bench.connect()
        try client.send(Records.request(body: [4]))
        try bench.settle()
        #expect(bench.answerParked([5]))
        #expect(try client.readReply().body == [5])
    }

    @Test("leave a connection that may be closed for a new one, and are never closed for it themselves")
    func connections() throws {
        let bench = try ServedBench.parking { $0.connectionCountLimit = 4 }
        var parked: [FastCGIClient] = []
        for _ in 0..<3 {
            let client = try bench.connect()
            try client.send(Records.request(body: [1]))
            try bench.settle()
            parked.append(client)
        }
        for _ in 0..<10 {
            let client = try bench.connect()
            try client.send(Records.request(body: [2]))
            try bench.settle()
            #expect(try client.readReply().status == 503)
        }
        #expect(bench.server.connectionCount <= 4 && bench.server.parkedCount == 3)
        for client in parked {
            #expect(bench.answerParked([3]))
            #expect(try client.readReply().body == [3])
        }
        let single = try ServedBench.parking { $0.connectionCountLimit = 1 }
        let client = try single.connect()
        try client.send(Records.request(body: [1]))
        try single.settle()
        #expect(try client.readReply().status == 503)
    }

    @Test("keep a draining server waiting, are answered, and then their connections are closed")
    func draining() throws {
        let bench = try ServedBench.parking { $0.lingerMilliseconds = 0 }
        let first = try bench.connect()
        let queued = try bench.connect()
        try first.send(Records.request(body: [1]))
        // The server has accepted nobody yet: both connections wait in the queue.
        try queued.send(Records.request(body: [2]))
        bench.drain()
        #expect(bench.server.connectionCount == 2 && bench.server.parkedCount == 2)
        for _ in 0..<3 { _ = try bench.server.turn(timeoutMilliseconds: 0) { bench.handle(&$0) } }
        #expect(first.isSilent() && queued.isSilent())
        #expect(bench.answerParked(1, [2]))
        #expect(bench.answerParked(0, [1]))
        #expect(try first.readReply().body == [1])
        #expect(try queued.readReply().body == [2])
        while bench.server.connectionCount > 0 {
            _ = try bench.server.turn(timeoutMilliseconds: nil) { bench.handle(&$0) }
        }
        #expect(first.isClosed() && queued.isClosed())
    }

    @Test("are answered when another thread says that it has finished")
    func otherThread() throws {
        let bench = try ServedBench.parking()
        let wakeUp = try WakeUp()
        try bench.server.watch(wakeUp.descriptor.number, as: .completions)
        let client = try bench.connect()
        try client.send(Records.request(body: [1]))
        try bench.settle()
        #expect(try bench.server.turn(timeoutMilliseconds: 0) { bench.handle(&$0) }.isEmpty)
        let thread = try JoinableThread { wakeUp.announce() }
        var sources: [FastCGIServer.Source] = []
        while sources.isEmpty {
            sources = try bench.server.turn(timeoutMilliseconds: nil) { bench.handle(&$0) }
        }
        _ = thread.join()
        #expect(sources == [.completions])
        wakeUp.clear()
        #expect(bench.answerParked([2]))
        #expect(try client.readReply().body == [2])
        #expect(try bench.server.turn(timeoutMilliseconds: 0) { bench.handle(&$0) }.isEmpty)
    }
}
