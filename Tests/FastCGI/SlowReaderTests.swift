@testable import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Large answers")
struct SlowReaderTests {
    enum Way: CaseIterable { case atOnce, parked }

    private static let large = pattern(700_000)

    private static func read(_ client: FastCGIClient, from bench: ServedBench) throws -> [UInt8] {
        var bytes: [UInt8] = []
        func readArrived() {
            while let more = try? client.readBytes(timeoutMilliseconds: 0) { bytes += more }
        }
        while bench.server.unsentByteCount > 0 {
            readArrived()
            _ = try bench.server.turn(timeoutMilliseconds: 0) { bench.handle(&$0) }
        }
        readArrived()
        var output: [UInt8] = []
        var rest = bytes[...]
        while rest.count >= 8, rest[rest.startIndex + 1] == 6 {
            let start = rest.startIndex
            let length = Int(rest[start + 4]) << 8 | Int(rest[start + 5])
            output += rest.dropFirst(8).prefix(length)
            rest = rest.dropFirst(8 + length + Int(rest[start + 6]))
        }
        // The body is what is behind the head, which ends with the field that forbids to store it.
        let head = String(decoding: output.prefix(300), as: UTF8.self).split(separator: "\r\n\r\n")[0]
        return Array(output.dropFirst(head.utf8.count + 4))
    }

    private static func start(
        _ way: Way = .atOnce,
        keep: Bool = true,
        _ change: (inout FastCGISettings) -> Void = { _ in }
    ) throws -> (ServedBench, FastCGIClient) {
        var settings = FastCGISettings()
        settings.parkedCountLimit = 8
        change(&settings)
        let bench = try ServedBench(settings)
        let client = try bench.connect()
        bench.answer = large
        bench.parksRequests = way == .parked
        try client.send(Records.request(body: [7], keep: keep))
        try bench.settle()
        if way == .parked { #expect(bench.answerParked(large)) }
        bench.answer = [9]
        bench.parksRequests = false
        #expect(bench.server.unsentByteCount > large.count && bench.server.connectionCount == 1)
        return (bench, client)
    }

    @Test("do not hold up other requests while the client does not read", arguments: Way.allCases)
    func others(way: Way) throws {
        let (bench, slow) = try Self.start(way) { $0.sendMilliseconds = 60_000 }
        // The client has read nothing so far, and most of its answer waits. A server whose write blocks would come here
        // only after it has given up the answer.
        for _ in 0..<3 {
            let other = try bench.connect()
            try other.send(Records.request(body: [1]))
            try bench.settle()
            #expect(try other.readReply(timeoutMilliseconds: 0).body == [9])
        }
        #expect(bench.server.unsentByteCount > Self.large.count)
        #expect(try Self.read(slow, from: bench) == Self.large)
        #expect(bench.server.unsentByteCount == 0 && bench.server.counts.unsentCount == 0)
        // The connection takes the next request.
        try slow.send(Records.request(body: [2]))
        try bench.settle()
        #expect(try slow.readReply(timeoutMilliseconds: 0).body == [9])
    }

    @Test("are sent whole before the connection is closed", arguments: ["end", "drain", "finished"])
    func closing(why: String) throws {
        let (bench, client) = try Self.start(keep: why != "end") { $0.lingerMilliseconds = 0 }
        if why == "drain" { bench.drain() }
        if why == "finished" { client.finishSending() }
        try bench.settle()
        #expect(bench.server.connectionCount == 1)
        #expect(try Self.read(client, from: bench) == Self.large)
        for _ in 0..<100 where bench.server.connectionCount > 0 {
            _ = try bench.server.turn(timeoutMilliseconds: 10) { bench.handle(&$0) }
        }
        #expect(bench.server.connectionCount == 0 && client.isClosed())
        #expect(bench.server.counts.unsentCount == 0)
    }

    @Test("are given up when the client reads nothing for a while, or goes", arguments: [true, false])
    func givenUp(goes: Bool) throws {
        let (bench, client) = try Self.start { $0.sendMilliseconds = goes ? 60_000 : 1 }
        if goes { client.hangUp() }
        for _ in 0..<100 where bench.server.counts.unsentCount == 0 {
            _ = try bench.server.turn(timeoutMilliseconds: 100) { bench.handle(&$0) }
        }
        #expect(bench.server.counts.unsentCount == 1 && bench.server.unsentByteCount == 0)
        #expect(bench.server.connectionCount == 0)
        withExtendedLifetime(client) {}
    }

    @Test("take a bounded amount of memory; the client that has read nothing for longest loses")
    func bounded() throws {
        let bench = try ServedBench()
        func ask() throws -> FastCGIClient {
            let client = try bench.connect()
            try client.send(Records.request())
            try bench.settle()
            return client
        }
        // There is room for two.
        bench.answer = [UInt8](repeating: 1, count: FastCGILimits.unsentByteCountInAll / 5 * 2)
        let reading = try ask()
        let still = try ask()
        for _ in 0..<3 { _ = try reading.readBytes(timeoutMilliseconds: 0) }
        try bench.settle()
        let new = try ask()
        #expect(bench.server.counts.unsentCount == 1 && bench.server.connectionCount == 2)
        while (try? still.readBytes(timeoutMilliseconds: 0))?.isEmpty == false {}
        #expect(still.isClosed() && !reading.isClosed() && !new.isClosed())
        // One answer alone may be larger.
        bench.answer = [UInt8](repeating: 1, count: FastCGILimits.unsentByteCountInAll + 1)
        let large = try ask()
        #expect(bench.server.counts.unsentCount == 3 && bench.server.connectionCount == 1)
        withExtendedLifetime(large) {}
    }
}
