import Configuration
import FastCGI
import JSON
import NotificationStore
import Support
import Testing

@testable import Recorder

/// The recorder and the nginx files that ship with it must agree: nginx must not give up a request before the recorder has
/// answered, and both must take the same bodies.
@Suite("The recorder behind the shipped nginx files", .timeLimit(.minutes(5)))
struct RecorderGatewayTests {
    /// Returns the value of a directive in a file of `nginx`.
    private static func directive(_ name: String, _ file: String) throws -> Substring {
        let path = "\(SourceFile.root)/nginx/retentiond-notifications-\(file).conf"
        let text = String(decoding: try SourceFile.read(path), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == name[...], words.count >= 2 { return words[1].prefix { $0 != ";" } }
        }
        throw Failure()
    }

    private struct Failure: Error {}

    private static func milliseconds(_ name: String) throws -> Int64 {
        let text = try directive(name, "pass")
        if text.hasSuffix("ms") { return try #require(Int64(text.dropLast(2))) }
        return try #require(text.hasSuffix("s") ? Int64(text.dropLast()) : nil) * 1000
    }

    private static func bytes(_ name: String) throws -> Int64 {
        let text = try directive(name, "pass")
        if text.hasSuffix("k") { return try #require(Int64(text.dropLast())) << 10 }
        return try #require(text.hasSuffix("m") ? Int64(text.dropLast()) : nil) << 20
    }

    @Test("answers before nginx gives up")
    func deadline() throws {
        for name in ["fastcgi_read_timeout", "fastcgi_next_upstream_timeout"] {
            #expect(try Self.milliseconds(name) >= NotificationSettings().deadlineMilliseconds + 1000)
        }
    }

    @Test("takes the largest body that the configuration allows, as nginx and the decoder do")
    func largestBody() throws {
        let text = Configuration.schemaJSON()
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let root = try JSONDocument(parsing: text.span, limits: limits).root
        let path = ["properties", "limits", "properties", "notificationBodyBytes", "maximum"]
        let found = path.reduce(root as JSONValue?) { $0?.member(named: $1) }?.int64
        let maximum = Int(try #require(found))
        #expect(ByteLimits().notificationBodyBytes <= maximum)
        for name in ["client_max_body_size", "client_body_buffer_size"] {
            #expect(try Self.bytes(name) >= maximum, "\(name)")
        }
        let bench = try RecorderBench(limits: "\"notificationBodyBytes\": \(maximum)")
        let body = try bench.body(1)
        for (excess, status) in [(0, 200), (1, 413)] {
            let spaces = [UInt8](repeating: UInt8(ascii: " "), count: maximum - body.count + excess)
            #expect(try bench.reply(spaces + body).status == status)
        }
        // A larger limit is applied by a reload, too.
        try RecorderBench.write("", limits: "\"notificationBodyBytes\": 2000", in: bench.folder)
        bench.process.reload()
        #expect(try bench.reply(body).status == 413)
        try RecorderBench.write("", limits: "\"notificationBodyBytes\": \(maximum)", in: bench.folder)
        bench.process.reload()
        #expect(try bench.reply(body).status == 200)
    }

    @Test("has Apple send a notification again of which only a part arrived")
    func incomplete() throws {
        let bench = try RecorderBench()
        let body = try bench.body(1)
        let client = try bench.send(body, parameters: [("CONTENT_LENGTH", "\(body.count + 1)")])
        try bench.turn { !client.isSilent() }
        let reply = try client.readReply()
        #expect(reply.status == 503 && reply.hasCode("body-incomplete"))
        #expect(bench.keeper.batches.isEmpty)
    }

    @Test("shows how many requests it gave up without an answer")
    func unanswered() throws {
        let bench = try RecorderBench()
        func metric(_ reason: String) throws -> String {
            let page = String(decoding: try bench.reply([], to: "metrics", method: "GET").body, as: UTF8.self)
            let name = #"retentiond_recorder_unanswered_requests_total{reason="\#(reason)"} "#
            let line = try #require(page.split(separator: "\n").first { $0.hasPrefix(name) })
            return String(line.dropFirst(name.count))
        }
        #expect(try metric("malformed") == "0")
        let garbage = try bench.connect()
        try garbage.send([UInt8](repeating: 9, count: 64))
        try bench.turn { garbage.isClosed() }
        #expect(try metric("malformed") == "1")
        var counts = FastCGICounts()
        (counts.crowdedOutCount, counts.abandonedCount) = (7, 5)
        bench.process.recorder.connectionCounts = { counts }
        #expect(try metric("no_room") == "7" && metric("client_gone") == "5")
    }
}
