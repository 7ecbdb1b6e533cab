import Configuration
import FastCGI
import NotificationStore
@testable import Recorder
import Support
import Testing

/// The recorder and the nginx files that ship with it must agree: nginx must not give up a request before the recorder has
/// answered, and both must take the same bodies.
@Suite("The recorder behind the shipped nginx files")
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

    @Test("answers before nginx gives up")
    func deadline() throws {
        for name in ["fastcgi_read_timeout", "fastcgi_next_upstream_timeout"] {
            #expect(try Self.milliseconds(name) >= NotificationSettings().deadlineMilliseconds + 1000)
        }
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
}
