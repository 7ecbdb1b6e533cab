import AppStoreSimulator
import FastCGI
import JSON
@testable import Pool
import Support
import System
import Testing

@Suite("The status page")
struct StatusTests {
    /// Known traffic: 3 answers with a message, 1 without a message, 2 refusals, and pings, which are not counted.
    static func world() throws -> EndpointWorld {
        let world = try EndpointWorld(queue: { ListenQueue(ofDescriptor: -1) })
        for _ in 1...3 { #expect(try world.answer(world.parameters(), world.body()).status == 200) }
        #expect(try world.answer(world.parameters(), world.body { $0.productId = "quiet" }).status == 503)
        #expect(try world.answer(world.parameters(["REQUEST_METHOD": "GET"]), world.body()).status == 405)
        #expect(try world.answer(world.parameters(["RETENTION_ENDPOINT": "x"]), world.body()).status == 404)
        for method in ["GET", "POST"] {
            _ = world.answer(world.parameters(["RETENTION_ENDPOINT": "ping", "REQUEST_METHOD": method]), [])
        }
        return world
    }

    static func page(_ world: EndpointWorld, _ query: String?) -> GatewayResponse {
        let changes = ["RETENTION_ENDPOINT": "status", "REQUEST_METHOD": "GET", "QUERY_STRING": query]
        return world.answer(world.parameters(changes), [])
    }

    static func json(_ world: EndpointWorld, _ query: String = "json") throws -> JSONValue {
        let response = page(world, query)
        #expect(response.contentType.description == "application/json")
        return try JSONDocument(parsing: response.body.span, limits: JSONLimits(byteCount: 1 << 20, depth: 8))
            .root
    }

    @Test("counts every request once, and no ping")
    func counts() throws {
        let root = try Self.json(try Self.world())
        let expected: [(String, Int64)] = [
            ("requests", 6), ("answers_decided", 3), ("answers_none", 1), ("answers_refused", 2),
            ("answers_failed", 0), ("code no-answer", 1), ("code method-not-allowed", 1),
            ("code endpoint-unknown", 1), ("received_times_ignored", 4), ("slow requests", 0),
        ]
        for (name, value) in expected {
            #expect(root.member(named: name)?.int64 == value, "\(name)")
        }
        #expect(root.member(named: "code rules-missing") == nil)
        let durations = try #require(root.member("request durations"))
        #expect(durations.member("requests")?.int64 == 5, "an unknown endpoint has no duration")
        let within = try #require(durations.member("within")?.elements)
        #expect(within.last?.member("requests")?.int64 == 5)
        #expect(within.last?.member("microseconds")?.kind == .null)
        #expect(within.count == LatencyHistogram.edgesMicroseconds.count + 1)
    }

    @Test("has the figures of the pool and of each worker")
    func fields() throws {
        let world = try Self.world()
        let root = try Self.json(world)
        let names = root.members.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(root.member("total processes")?.int64 == 1)
        #expect(root.member("active processes")?.int64 == 1, "the worker that handled requests")
        #expect(root.member("idle processes")?.int64 == 0)
        #expect(root.member("max active processes")?.int64 == 1)
        #expect(root.member("start time")?.int64 == world.now / 1000)
        let processes = try #require(root.member("processes")?.elements)
        #expect(processes.count == 1)
        #expect(processes[0].member("state")?.string == "Running")
        #expect(processes[0].member("requests")?.int64 == 5)
        #expect(processes[0].member("pid")?.int64 == 4711)
    }

    @Test("shows the length of the listening socket's queue, and the greatest length so far")
    func queue() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "s")
        let socket = try ListeningSocket(unixPath: path, access: .init(mode: 0o600), backlog: 7)
        let number = socket.descriptor.number
        let world = try EndpointWorld(queue: { ListenQueue(ofDescriptor: number) })
        let first = try FastCGIClient(unixPath: path)
        let second = try FastCGIClient(unixPath: path)
        #expect(try Self.json(world).member("listen queue")?.int64 == 2)
        for _ in 1...2 { _ = socket.accept() }
        let root = try Self.json(world)
        #expect(root.member("listen queue")?.int64 == 0)
        #expect(root.member("max listen queue")?.int64 == 2)
        #expect(root.member("listen queue len")?.int64 == 7)
        #expect(first.number != second.number)
    }

    @Test("shows each data file with its revision, and how the last reload ended")
    func rules() throws {
        let world = try EndpointWorld()
        var root = try Self.json(world)
        let file = try #require(root.member("rules")?.element(at: 0))
        #expect(root.member("rules")?.count == 1 && root.member("facts")?.count == 0)
        #expect(file.member("name")?.string == "app.rules.json")
        #expect(file.member("environment")?.string == "Sandbox")
        #expect(file.member("sha256")?.string?.count == 64)
        #expect(file.member("revision")?.string == "r7")
        #expect(root.member("custom anchors")?.boolean == true)
        #expect(root.member("last reload") == nil, "there is no supervisor")
        try world.publish(atMilliseconds: 1_780_315_200_000)
        #expect(try Self.json(world).member("last reload")?.string == "loaded")
        try world.publish("needs-restart", atMilliseconds: 1_780_315_200_000)
        root = try Self.json(world)
        #expect(root.member("last reload")?.string == "refused")
        #expect(root.member("last reload code")?.string == "needs-restart")
        #expect(root.member("last reload time")?.int64 == 1_780_315_200)
    }

    @Test("is a page for people unless JSON is asked for")
    func forms() throws {
        let world = try Self.world()
        let page = Self.page(world, nil)
        #expect(page.contentType.description == "text/html; charset=utf-8")
        let html = String(decoding: page.body, as: UTF8.self)
        #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
        #expect(html.contains("<tr><th scope=\"row\">accepted conn</th><td>0</td></tr>"))
        #expect(html.contains("<h2>rules</h2>") && html.contains("app.rules.json") && html.contains("4711"))
    }
}
