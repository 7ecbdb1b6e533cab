import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Limits of FastCGI requests")
struct LimitTests {
    @Test("bound the bodies that are kept where the settings allow longer bodies", arguments: [0, 1])
    func longBody(excess: Int) throws {
        var settings = FastCGISettings()
        settings.bodyByteCount = 18 << 20
        let bench = try ServedBench(settings)
        bench.limitBytes = 18 << 20
        bench.answer = []
        let client = try bench.connect()
        let body = [UInt8](repeating: 7, count: settings.bodyByteCount + excess)
        let bytes = Records.request(body: body)
        var sent = 0
        while sent < bytes.count {
            // The connection of a body that is longer than all that the server reads is closed.
            guard let count = try? client.sendSome(Array(bytes[sent..<min(sent + 200_000, bytes.count)]))
            else { break }
            sent += count
            try bench.settle()
        }
        #expect(bench.bodies.map(\.count) == (excess == 0 ? [body.count] : []))
        if excess == 0 { #expect(try client.readReply().status == 200) } else { #expect(client.isClosed()) }
    }

    @Test("bound the bodies that are thrown away", arguments: [0, 1])
    func discardedBody(excess: Int) {
        var check = FramingCheck()
        var last = check.consume((Records.begin() + Records.record(type: 4)).span)
        var left = FastCGILimits.discardedByteCount + excess
        while left > 0, last == .incomplete {
            let count = min(left, 65_535)
            last = check.consume(Records.record(type: 5, content: [UInt8](repeating: 0, count: count)).span)
            left -= count
        }
        #expect(left == 0)
        if last == .incomplete { last = check.consume(Records.record(type: 5).span) }
        #expect(last == (excess == 0 ? .complete : .refused))
    }

    @Test(
        "bound the bytes of one request, however few of them are content",
        arguments: [0, 1]
    )
    func requestBytes(excess: Int) {
        var check = FramingCheck()
        let head = Records.begin() + Records.record(type: 4)
        var last = check.consume(head.span)
        let end = Records.record(type: 5)
        let limit = FastCGILimits.requestByteCount(bodyByteCount: FastCGILimits.discardedByteCount)
        var left = limit + excess - head.count - end.count
        let record = Records.record(type: 5, content: [UInt8](repeating: 0, count: 200), padding: 255)
        while left >= record.count, last == .incomplete {
            last = check.consume(record.span)
            left -= record.count
        }
        #expect(left > 8)
        let rest = Records.record(type: 5, content: [UInt8](repeating: 0, count: left - 8))
        if last == .incomplete { last = check.consume(rest.span) }
        if last == .incomplete { last = check.consume(end.span) }
        #expect(last == (excess == 0 ? .complete : .refused))
    }

    @Test("bound the bytes of incomplete requests, for all connections together")
    func keptInAll() throws {
        var settings = FastCGISettings()
        settings.incompleteMilliseconds = 600_000
        let bench = try ServedBench(settings)
        bench.answer = []
        let limit = FastCGILimits.keptByteCountInAll
        // A request has BEGIN_REQUEST, the end of the parameters, and a header for every 65,528 bytes of body.
        func kept(_ body: Int) -> Int { 24 + body + 8 * ((body + 65_527) / 65_528) }
        var bodies = [Int](
            repeating: FastCGILimits.bodyByteCount, count: limit / kept(FastCGILimits.bodyByteCount))
        let left = limit - bodies.reduce(0) { $0 + kept($1) }
        let last = try #require((0..<left).last { kept($0) == left })
        bodies.append(last)
        func begin(_ count: Int) throws -> FastCGIClient {
            let client = try bench.connect()
            let stream = Records.stream(type: 5, [UInt8](repeating: 1, count: count)).dropLast(8)
            let bytes = Records.begin() + Records.record(type: 4) + stream
            var sent = 0
            while sent < bytes.count {
                sent += try client.sendSome(Array(bytes[sent...]))
                try bench.settle()
            }
            return client
        }
        let clients = try bodies.map(begin)
        #expect(bench.server.connectionCount == bodies.count)
        // After one byte more, the server closes the connection that sent it.
        try clients[bodies.count - 1].send(Records.record(type: 5, content: [1]))
        try bench.settle()
        #expect(clients[bodies.count - 1].isClosed())
        #expect(bench.server.connectionCount == bodies.count - 1)
        #expect(bench.server.counts.crowdedOutCount == 1 && bench.server.counts.refusedCount == 0)
        // The bytes of this connection are free again.
        try clients[0].send(Records.record(type: 5))
        try bench.settle()
        #expect(try clients[0].readReply().status == 200)
        #expect(bench.bodies.map(\.count) == [FastCGILimits.bodyByteCount])
        // And so are those of the request that was answered.
        let next = try begin(FastCGILimits.bodyByteCount)
        #expect(!next.isClosed() && bench.server.counts.crowdedOutCount == 1)
    }
}
