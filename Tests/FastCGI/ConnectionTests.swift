import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Connections of the FastCGI server")
struct ConnectionTests {
    @Test("that are idle do not delay others, and stay open")
    func manyIdle() throws {
        let bench = try ServedBench()
        let idle = try (0..<200).map { _ in try bench.connect() }
        for client in idle {
            try client.send(Records.request(body: [1]))
            try bench.settle()
            _ = try client.readReply()
        }
        let other = try bench.connect()
        for _ in 0..<20 {
            try other.send(Records.request(body: [2]))
            try bench.settle()
            #expect(try other.readReply().body == [2])
        }
        for client in idle { #expect(client.isSilent()) }
        #expect(bench.server.connectionCount == 201)
        // Each idle connection can still be used.
        for client in idle {
            try client.send(Records.request(body: [3]))
            try bench.settle()
            #expect(try client.readReply().body == [3])
        }
    }

    @Test("that send one byte at a time do not delay others")
    func dribble() throws {
        let bench = try ServedBench()
        let slow = try bench.connect()
        let other = try bench.connect()
        let bytes = Records.request(body: pattern(64))
        for byte in bytes.dropLast() {
            try slow.send([byte])
            try other.send(Records.request(body: [byte]))
            try bench.settle()
            #expect(try other.readReply().body == [byte])
            #expect(slow.isSilent())
        }
        try slow.send([bytes[bytes.count - 1]])
        try bench.settle()
        #expect(try slow.readReply().body == pattern(64))
    }

    @Test("that end in the middle of a request are closed without an answer")
    func cutOff() throws {
        let bench = try ServedBench()
        let bytes = Records.request(body: pattern(100))
        for end in [1, 8, 16, 24, bytes.count - 1] {
            let client = try bench.connect()
            try client.send(Array(bytes[..<end]))
            try bench.settle()
            #expect(bench.server.connectionCount == 1)
            client.finishSending()
            try bench.settle()
            #expect(client.isClosed())
            #expect(bench.server.connectionCount == 0)
        }
        #expect(bench.seen.isEmpty)
        #expect(bench.server.counts.abandonedCount == 5)
    }

    @Test("whose client sends nothing more after its request get their answer")
    func halfClosed() throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        try client.send(Records.request(body: [5]))
        client.finishSending()
        try bench.settle()
        #expect(try client.readReply().body == [5])
        #expect(client.isClosed())
    }

    @Test("whose client is gone cause no work")
    func gone() throws {
        let bench = try ServedBench()
        do {
            // The server must know the connection before. Only then the kernel reports the end together with the bytes.
            let client = try bench.connect()
            try client.send(Records.request(body: [1]))
            try bench.settle()
            _ = try client.readReply()
            try client.send(Records.request(body: [2]))
        }
        try bench.settle()
        #expect(bench.seen.count == 1)
        #expect(bench.server.counts.abandonedCount == 1)
        #expect(bench.server.connectionCount == 0)
    }

    @Test("whose client goes while its request is answered are closed, and the next client is answered")
    func goneDuringRequest() throws {
        let bench = try ServedBench()
        var client: FastCGIClient? = try bench.connect()
        try client?.send(Records.request(body: [1]))
        bench.duringRequest = { client = nil }
        try bench.settle()
        bench.duringRequest = {}
        #expect(bench.server.counts.unsentCount == 1)
        #expect(bench.server.connectionCount == 0)
        let other = try bench.connect()
        try other.send(Records.request(body: [2]))
        try bench.settle()
        #expect(try other.readReply().body == [2])
    }

    /// If libfcgi parsed such a management record, it would answer it, and four such names would end the process.
    private static let management = Records.record(
        type: 9,
        id: 0,
        content: Records.pairs([String](repeating: "FCGI_MPXS_CONNS", count: 4).map { ($0, "") })
    )

    @Test(
        "lose bytes that come before the answer and fit into libfcgi's buffer: nothing parses them",
        arguments: [management, Records.request([("RETENTION_ENDPOINT", "late")], body: [9])]
    )
    func bytesBeforeAnswer(bytes: [UInt8]) throws {
        let bench = try ServedBench()
        let client = try bench.connect()
        let body = pattern(20_000)
        try client.send(Records.request([("RETENTION_ENDPOINT", "first")], body: body))
        bench.duringRequest = { try? client.send(bytes) }
        try bench.settle()
        bench.duringRequest = {}
        #expect(try client.readReply().body == body)
        #expect(client.isSilent() && bench.endpoints == ["first"])
        try client.send(Records.request([("RETENTION_ENDPOINT", "next")], body: [3]))
        try bench.settle()
        #expect(try client.readReply().body == [3])
        #expect(bench.endpoints == ["first", "next"])
    }

    @Test("whose client never reads are closed, and the server does not wait for it")
    func neverReads() throws {
        let bench = try ServedBench()
        bench.answer = [UInt8](repeating: 1, count: 30_000)
        let client = try bench.connect()
        for _ in 0..<100 where bench.server.connectionCount > 0 || bench.seen.isEmpty {
            try client.send(Records.request())
            try bench.settle()
        }
        #expect(bench.server.connectionCount == 0)
        #expect(bench.server.counts.unsentCount == 1)
        #expect(bench.seen.count < 100)
    }

    @Test("carry large answers completely", arguments: [8_000, 8_192, 32_768, 32_769, 60_000])
    func largeAnswer(byteCount: Int) throws {
        let bench = try ServedBench()
        bench.answer = pattern(byteCount)
        let client = try bench.connect()
        for _ in 0..<3 {
            try client.send(Records.request())
            try bench.settle()
            #expect(try client.readReply().body == pattern(byteCount))
        }
    }

    @Test("beyond the limit close the connection that was idle longest")
    func limit() throws {
        var settings = FastCGISettings()
        settings.connectionCountLimit = 3
        let bench = try ServedBench(settings)
        let clients = try (0..<4).map { _ in try bench.connect() }
        for (index, client) in clients.enumerated() {
            try client.send(Records.request(body: [UInt8(index)]))
            try bench.settle()
            #expect(try client.readReply().body == [UInt8(index)])
        }
        #expect(clients[0].isClosed())
        #expect(clients[1...].allSatisfy { $0.isSilent() })
        #expect(bench.server.connectionCount == 3)
    }

    @Test("are closed when they are idle or incomplete for too long")
    func expiry() throws {
        var settings = FastCGISettings()
        settings.idleMilliseconds = 0
        settings.incompleteMilliseconds = 0
        let bench = try ServedBench(settings)
        let idle = try bench.connect()
        let incomplete = try bench.connect()
        try incomplete.send(Array(Records.request().dropLast()))
        try bench.settle()
        // The next sweep comes within a second.
        while bench.server.connectionCount > 0 {
            _ = try bench.server.turn(timeoutMilliseconds: nil) { request in bench.handle(&request) }
        }
        #expect(idle.isClosed())
        #expect(incomplete.isClosed())
    }

    @Test("leave no descriptor behind after 2,500 requests")
    func descriptors() async {
        // The test has its own process, in which no other test opens and closes descriptors.
        await #expect(processExitsWith: .exitCode(0)) {
            var settings = FastCGISettings()
            settings.connectionCountLimit = 8
            let bench = try ServedBench(settings)
            // The first round opens the file for collected requests, which stays open.
            try Self.serveEveryKind(bench)
            let before = try Self.openDescriptors()
            for _ in 1..<625 { try Self.serveEveryKind(bench) }
            let after = try Self.openDescriptors()
            let isAllAnswered = bench.server.counts.answeredCount == 2_500
            // The testing library's own threads may open or close a few. A leak would leave hundreds.
            Processes.exit(abs(after.count - before.count) >= 20 ? 3 : isAllAnswered ? 0 : 4)
        }
    }

    /// Sends four requests that are answered and three that are not, and opens more silent connections than the limit.
    private static func serveEveryKind(_ bench: ServedBench) throws {
        let whole = Records.request(body: [1])
        let padded = Records.padded(Records.begin(), with: [0]) + whole[16...]
        do {
            let kept = try bench.connect()
            for pieces in [[whole], [padded], [Array(whole[..<20]), Array(whole[20...])]] {
                for piece in pieces {
                    try kept.send(piece)
                    try bench.settle()
                }
                guard try kept.readReply().body == [1] else { throw FastCGIClient.Failure.malformed }
            }
            let once = try bench.connect()
            try once.send(Records.request(body: [1], keep: false))
            try bench.settle()
            _ = try once.readReply()
            for broken in [Array(whole[..<20]), Records.begin() + Records.record(type: 2), [71]] {
                try bench.connect().send(broken)
                try bench.settle()
            }
            let silent = try (0..<10).map { _ in try bench.connect() }
            try bench.settle()
            guard silent.contains(where: { $0.isClosed() }) else { throw FastCGIClient.Failure.silent }
        }
        // All clients have gone by now.
        try bench.settle()
    }

    private static func openDescriptors() throws -> [String] {
        let folder = try FileDescriptor.openDirectory(path: "/proc/self/fd")
        return try Directory.names(in: folder, limitCount: 1_000)
    }
}
