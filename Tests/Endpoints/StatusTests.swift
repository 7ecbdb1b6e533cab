import AppStoreTraffic
import FastCGI
import JSON
import Support
import System
import Telemetry
import Testing

@testable import Endpoints

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

    @Test("counts each request as one of four kinds, so that the sums are equal")
    func sum() throws {
        let world = try Self.world()
        let counters = world.counters
        let kinds: [Counter] = [.answersDecided, .answersNone, .answersRefused, .answersFailed]
        #expect(kinds.map { counters.value($0) }.reduce(0, +) == counters.value(.requests))
        #expect(
            counters.codes.map(\.count).reduce(0, +)
                == counters.value(.requests) - counters.value(.answersDecided)
        )
        let empty = try EndpointWorld(rules: nil)
        let ping = empty.parameters(["RETENTION_ENDPOINT": "ping", "REQUEST_METHOD": "GET"])
        #expect(empty.answer(ping, []).status == 503)
        #expect(Counter.allCases.allSatisfy { empty.counters.value($0) == 0 })
        #expect(empty.log.lines.count == 1, "the refused ping is logged")
    }

    @Test("counts each event on a connection once, under its own name")
    func connections() throws {
        let world = try EndpointWorld()
        let rows: [(WritableKeyPath<FastCGICounts, UInt64>, Counter)] = [
            (\.acceptedCount, .connectionsAccepted), (\.refusedCount, .connectionsRefused),
            (\.abandonedCount, .requestsAborted), (\.unsentCount, .requestsAborted),
        ]
        var seen = FastCGICounts()
        for (count, counter) in rows {
            // A worker reports its counts since its start each time.
            for total: UInt64 in [2, 2, 5] {
                let before = Counter.allCases.map { world.counters.value($0) }
                let added = total - seen[keyPath: count]
                seen[keyPath: count] = total
                world.handler.turnEnded(seen)
                let after = Counter.allCases.map { world.counters.value($0) }
                let expected = zip(Counter.allCases, before).map { $0 == counter ? $1 + added : $1 }
                #expect(after == expected, "\(counter) at \(total)")
            }
        }
        #expect(world.counters.value(.requestsAborted) == 10)
    }

    /// php-fpm's names with the kinds that its scrapers expect (pm.status_path with json).
    static let poolFields: [(String, JSONKind)] = [
        ("pool", .string), ("process manager", .string), ("start time", .integer), ("start since", .integer),
        ("accepted conn", .integer), ("listen queue", .integer), ("max listen queue", .integer),
        ("listen queue len", .integer), ("idle processes", .integer), ("active processes", .integer),
        ("total processes", .integer), ("max active processes", .integer), ("max children reached", .integer),
        ("slow requests", .integer),
    ]
    static let processFields: [(String, JSONKind)] = [
        ("pid", .integer), ("state", .string), ("start time", .integer), ("start since", .integer),
        ("requests", .integer), ("request duration", .integer), ("request method", .string),
        ("request uri", .string), ("content length", .integer), ("user", .string), ("script", .string),
        ("last request cpu", .real), ("last request memory", .integer),
    ]

    @Test("has php-fpm's fields in php-fpm's order, and with full each process")
    func fields() throws {
        let world = try Self.world()
        let root = try Self.json(world, "full&json")
        let names = root.members.map(\.name)
        #expect(Array(names.prefix(Self.poolFields.count)) == Self.poolFields.map(\.0))
        for (name, kind) in Self.poolFields { #expect(root.member(named: name)?.kind == kind, "\(name)") }
        #expect(root.member("total processes")?.int64 == 1)
        #expect(root.member("active processes")?.int64 == 1, "the worker that handled requests")
        #expect(root.member("max active processes")?.int64 == 1)
        #expect(root.member("start time")?.int64 == world.now / 1000)
        let processes = try #require(root.member("processes")?.elements)
        #expect(processes.count == 1)
        for (name, kind) in Self.processFields {
            #expect(processes[0].member(named: name)?.kind == kind, "\(name)")
        }
        #expect(processes[0].member("state")?.string == "Running")
        #expect(processes[0].member("requests")?.int64 == 5)
        #expect(processes[0].member("pid")?.int64 == 4711)
        #expect(try Self.json(world).member("processes") == nil)
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
        world.counters.setLastReload(LastReload(endedMilliseconds: 1_780_315_200_000, refusalCode: nil))
        #expect(try Self.json(world).member("last reload")?.string == "loaded")
        world.counters.setLastReload(
            LastReload(endedMilliseconds: 1_780_315_200_000, refusalCode: "needs-restart")
        )
        root = try Self.json(world)
        #expect(root.member("last reload")?.string == "refused")
        #expect(root.member("last reload code")?.string == "needs-restart")
        #expect(root.member("last reload time")?.int64 == 1_780_315_200)
    }

    @Test("is a page for people unless JSON is asked for")
    func forms() throws {
        let world = try Self.world()
        let page = Self.page(world, "full")
        #expect(page.contentType.description == "text/html; charset=utf-8")
        let html = String(decoding: page.body, as: UTF8.self)
        #expect(html.hasPrefix("<!DOCTYPE html>") && html.hasSuffix("</html>\n"))
        #expect(html.contains("<tr><th scope=\"row\">accepted conn</th><td>0</td></tr>"))
        #expect(html.contains("<h2>rules app.rules.json</h2>") && html.contains("<h2>process 4711</h2>"))
        #expect(html.contains("<li><b>6</b> in all</li>") && html.contains("Serving 1 rules file."))
        #expect(!String(decoding: Self.page(world, nil).body, as: UTF8.self).contains("4711"))
    }

    @Test("as HTML loads nothing, runs nothing, and has each field of the JSON")
    func html() throws {
        let world = try Self.world()
        world.counters.setLastReload(
            LastReload(endedMilliseconds: 1_780_315_200_000, refusalCode: "needs-restart")
        )
        let html = String(decoding: Self.page(world, "full").body, as: UTF8.self)
        for word in ["<script", "src=", "href=", "url(", "@import", "http:", "https:", "onload", "onclick"] {
            #expect(!html.contains(word), "\(word)")
        }
        #expect(html.contains(#"name="viewport" content="width=device-width, initial-scale=1""#))
        #expect(html.contains("prefers-color-scheme: dark"))
        #expect(html.contains("The last reload was refused: needs-restart."))
        let names = try Self.json(world, "full&json").members.filter {
            ![.object, .array].contains($0.value.kind)
        }
        for member in names {
            #expect(html.contains("<th scope=\"row\">\(member.name)</th>"), "\(member.name)")
        }
        // Every element that is opened is closed, in order.
        var open: [Substring] = []
        for tag in html.split(separator: "<").dropFirst() where !tag.hasPrefix("!") {
            let name = tag.prefix { $0 != ">" && $0 != " " }
            if name.hasPrefix("/") {
                #expect(open.popLast() == name.dropFirst())
            } else if name != "meta" {
                open.append(name)
            }
        }
        #expect(open.isEmpty)
    }

    @Test("escapes the text of a file for HTML")
    func escaping() {
        #expect(PoolStatus.escaped("<b a=\"1\">&") == "&lt;b a=&quot;1&quot;&gt;&amp;")
    }

    @Test(
        "understands php-fpm's switches, as whole words in any order",
        arguments: [
            ("", false, false), ("json", true, false), ("full&json", true, true), ("json&full", true, true),
            ("full", false, true), ("jsonx", false, false), ("xjson", false, false), ("JSON", false, false),
            ("a=b&json&&full&", true, true), ("json=1", false, false), ("&&&", false, false),
        ]
    )
    func query(text: String, isJSON: Bool, isFull: Bool) {
        let bytes = Array(text.utf8)
        let query = StatusQuery(bytes.span)
        #expect(query.isJSON == isJSON && query.isFull == isFull)
    }
}
