import FastCGI
import Pool
import Support
import Testing

@Suite("Requests when too many wait")
struct OverloadTests {
    /// The classes of requests with these parameters, one millisecond after 1,700,000,000 s.
    private static let rows: [(parameters: [(String, String)], expected: RequestClass)] = [
        ([("RETENTION_ENDPOINT", "retention-message")], .queued(receivedMilliseconds: nil)),
        (
            [
                ("RETENTION_MSEC", "1700000000.000"), ("RETENTION_ENDPOINT", "retention-message"),
                ("RETENTION_ELAPSED", "0.250"),
            ], .queued(receivedMilliseconds: 1_699_999_999_750)
        ),
        (
            [
                ("RETENTION_ENDPOINT", "retention-message"), ("RETENTION_MSEC", "1700000000.000"),
                ("RETENTION_ELAPSED", "250"),
            ], .queued(receivedMilliseconds: nil)
        ),
        (
            [
                ("RETENTION_ENDPOINT", "retention-message"), ("RETENTION_MSEC", "1600000000.000"),
                ("RETENTION_ELAPSED", "0.000"),
            ], .queued(receivedMilliseconds: nil)
        ),
        ([("RETENTION_ENDPOINT", "ping")], .prompt), ([("RETENTION_ENDPOINT", "status")], .prompt),
        ([("RETENTION_ENDPOINT", "metrics")], .prompt), ([("RETENTION_ENDPOINT", "x")], .prompt),
        ([], .prompt),
        ([("RETENTION_ENDPOINT", "retention-messages")], .prompt),
        ([("RETENTION_ENDPOINX", "retention-message")], .prompt),
        ([("RETENTION_ENDPOINT", "ping"), ("RETENTION_ENDPOINT", "retention-message")], .prompt),
    ]

    @Test("queue for retention messages only, in the order in which nginx received them")
    func classes() throws {
        let world = try EndpointWorld()
        for row in Self.rows {
            let bytes = FastCGIRecords.pairs(row.parameters)
            let found = world.handler.classify(bytes.span, wallMilliseconds: 1_700_000_000_001)
            #expect(found == row.expected, "\(row.parameters)")
        }
    }

    @Test("are refused with 503 and a code, counted, and not verified")
    func refused() throws {
        let world = try EndpointWorld()
        var request = GatewayDouble(world.parameters(), body: try world.body())
        request.isOverloaded = true
        let response = world.handler.answer(&request)
        #expect(response.status == 503)
        #expect(String(decoding: response.body, as: UTF8.self).contains(#""code":"overloaded""#))
        #expect(world.counters.value(.shedQueueFull) == 1)
        #expect(world.counters.value(.answersFailed) == 1 && world.counters.value(.requests) == 1)
        #expect(world.counters.codes.first { $0.code == "overloaded" }?.count == 1)
        #expect(world.log.lines.count == 1 && world.log.lines[0].contains("overloaded"))
        world.handler.turnEnded(FastCGICounts())
        #expect(world.counters.value(.chainCacheMisses) == 0, "nothing is verified")
        // Pings and status pages are answered whatever waits.
        let ping = world.parameters(["RETENTION_ENDPOINT": "ping", "REQUEST_METHOD": "GET"])
        #expect(world.answer(ping, []).status == 200)
        let scrape = world.parameters(["RETENTION_ENDPOINT": "metrics", "REQUEST_METHOD": "GET"])
        let metrics = String(decoding: world.answer(scrape, []).body, as: UTF8.self)
        for sample in [#"{why="queue-full"} 1"#, #"{why="deadline"} 0"#] {
            #expect(metrics.contains("retentiond_shed_total\(sample)\n"))
        }
    }
}
