import Support
import System
import Testing

@testable import FastCGI

private typealias Records = FastCGIRecords

@Suite("An answer that is sent later")
struct PostponedAnswerTests {
    /// Longer than any test runs.
    private static let hour: UInt64 = 3_600_000

    private func bench(_ delays: [[UInt8]: UInt64], _ settings: FastCGISettings = FastCGISettings()) throws
        -> ServedBench
    {
        let bench = try ServedBench(settings)
        bench.delays = delays
        return bench
    }

    /// Turns the server until `isOver`.
    private func turn(_ bench: ServedBench, until isOver: () -> Bool) throws {
        while !isOver() {
            _ = try bench.server.turn(timeoutMilliseconds: nil) { request in bench.handle(&request) }
        }
    }

    @Test("holds up no other request", arguments: [10, 70_000, 600_000])
    func others(byteCount: Int) throws {
        let late = pattern(byteCount)
        let bench = try bench([late: Self.hour])
        bench.answer = [7]
        let slow = try bench.connect()
        let bytes = Records.request(body: late)
        var sent = 0
        while sent < bytes.count {
            sent += try slow.sendSome(Array(bytes[sent...]))
            try bench.settle()
        }
        let quick = try bench.connect()
        for number in 0..<3 {
            try quick.send(Records.request(body: pattern(5 + number)))
            try bench.settle()
            #expect(try quick.readReply().body == [7])
        }
        #expect(slow.isSilent())
        #expect(bench.server.connectionCount == 2 && bench.server.counts.answeredCount == 3)
        // At the end the answer comes at once.
        bench.drain()
        #expect(try slow.readReply().body == [7])
        #expect(slow.isClosed())
    }

    @Test("comes when its time has come, and the connection takes the next request")
    func due() throws {
        let bench = try bench([[1]: 1, [2]: 1, [3]: 1])
        let clients = try (1...3).map { _ in try bench.connect() }
        for round in 0..<2 {
            for (index, client) in clients.enumerated() {
                try client.send(Records.request(body: [UInt8(index + 1)]))
            }
            let count = UInt64(3 * (round + 1))
            try turn(bench) { bench.server.counts.answeredCount == count }
            for (index, client) in clients.enumerated() {
                #expect(try client.readReply().body == [UInt8(index + 1)])
            }
        }
        #expect(bench.server.counts.acceptedCount == 3 && bench.server.connectionCount == 3)
    }

    @Test("leaves in the socket what arrives in between, and answers it afterwards")
    func pipelined() throws {
        let bench = try bench([[1]: 1])
        let client = try bench.connect()
        try client.send(Records.request(body: [1]))
        try turn(bench) { !bench.bodies.isEmpty }
        try client.send(Records.request(body: [2]))
        try turn(bench) { bench.server.counts.answeredCount == 2 }
        #expect(try client.readReply().body == [1])
        #expect(try client.readReply().body == [2])
        #expect(bench.bodies == [[1], [2]])
    }

    @Test("closes the connection that the client does not keep, or has finished", arguments: [true, false])
    func closing(finishes: Bool) throws {
        let bench = try bench([[1]: 1])
        let client = try bench.connect()
        try client.send(Records.request(body: [1], keep: finishes))
        if finishes { client.finishSending() }
        try turn(bench) { bench.server.counts.answeredCount == 1 && bench.server.connectionCount == 0 }
        #expect(try client.readReply().body == [1])
        #expect(client.isClosed())
    }

    @Test("is dropped when the client has gone")
    func gone() throws {
        let bench = try bench([[1]: Self.hour])
        do {
            let client = try bench.connect()
            try client.send(Records.request(body: [1]))
            try bench.settle()
            #expect(bench.server.connectionCount == 1)
        }
        try bench.settle()
        #expect(bench.server.connectionCount == 0 && bench.server.counts.abandonedCount == 1)
        let next = try bench.connect()
        try next.send(Records.request(body: [2]))
        try bench.settle()
        #expect(try next.readReply().body == [2])
    }

    @Test("comes early where the server needs the connection, after all idle connections")
    func evicted() throws {
        var settings = FastCGISettings()
        settings.connectionCountLimit = 2
        let bench = try bench([[1]: Self.hour, [2]: Self.hour], settings)
        let first = try bench.connect()
        try first.send(Records.request(body: [1]))
        try bench.settle()
        let idle = try bench.connect()
        try bench.settle()
        let second = try bench.connect()
        try second.send(Records.request(body: [2]))
        try bench.settle()
        #expect(idle.isClosed() && first.isSilent())
        let third = try bench.connect()
        try third.send(Records.request(body: [3]))
        try bench.settle()
        #expect(try first.readReply().body == [1])
        #expect(first.isClosed() && second.isSilent())
        #expect(try third.readReply().body == [3])
    }

    @Test("of any length is written whole", arguments: [0, 32_768, 32_769, 1_000_000])
    func long(byteCount: Int) throws {
        let bench = try bench([[1]: 1])
        bench.answer = pattern(byteCount)
        let path = bench.path
        let client = try JoinableThread { () -> [UInt8]? in
            guard let client = try? FastCGIClient(unixPath: path) else { return nil }
            try? client.send(Records.request(body: [1]))
            return try? client.readReply().body
        }
        try turn(bench) { bench.server.counts.answeredCount == 1 && bench.server.unsentByteCount == 0 }
        #expect(client.join() == pattern(byteCount))
        #expect(bench.server.counts.unsentCount == 0)
    }
}
