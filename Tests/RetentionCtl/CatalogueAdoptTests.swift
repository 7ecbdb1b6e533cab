import JSON
import Support
import System
import Testing

@Suite("retentionctl catalogue adopt")
struct CatalogueAdoptTests {
    /// A team that has the images alone, and a state of its own.
    struct Team {
        let folder: TemporaryDirectory
        let apple: AppleWorld
        var catalogue: String { folder.path(of: "catalogue.json") }

        init(_ apple: AppleWorld) throws {
            self.apple = apple
            folder = try TemporaryDirectory()
            for name in ["hero.png", "tick.png"] {
                try folder.write(try apple.folder.read(name), to: name)
            }
        }

        func run(_ command: String, _ more: [String] = []) throws -> ProgramRun {
            let state = ["--state", folder.path(of: "state")]
            let run = try Tool.run(["catalogue", command, catalogue] + apple.options + state + more)
            apple.checkSecrets(run)
            return run
        }

        func text() throws -> String { String(decoding: try folder.read("catalogue.json"), as: UTF8.self) }

        /// Fills in the entries, as a person does who still has the texts. `names` has the names by identifier, as `catalogue
        /// status` prints them: `hero`, `reminder en-US`.
        func fill(_ names: [String: String]) throws {
            let source = try folder.read("catalogue.json")
            let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
            guard
                case .object(var root) = JSONNode(try JSONDocument(parsing: source.span, limits: limits).root)
            else { return }
            for index in root.indices {
                guard case .object(let entries) = root[index].1 else { continue }
                if root[index].0 == "images" {
                    root[index].1 = .object(
                        entries.map { name, entry in
                            let name = names[Self.identifier(name)] ?? name
                            let size = name == "hero" ? "FULL_SIZE" : "BULLET_POINT"
                            return (
                                name,
                                .object([
                                    ("file", .string("\(name).png")), ("size", .string(size)),
                                    ("identifier", Self.member("identifier", entry)),
                                ])
                            )
                        })
                } else if root[index].0 == "messages" {
                    let texts = entries.map { name, entry -> (String, JSONNode) in
                        let locale =
                            names[Self.identifier(name)]?.split(separator: " ").last.map(String.init) ?? ""
                        let pin = Self.member("identifier", Self.member("xx-XX", entry))
                        return (locale, .object(Self.content(locale) + [("identifier", pin)]))
                    }
                    root[index].1 = .object([("reminder", .object([("kind", .string("text"))] + texts))])
                }
            }
            try folder.write(
                String(decoding: JSONNode.object(root).serialized(pretty: true), as: UTF8.self),
                to: "catalogue.json")
        }

        private static func identifier(_ name: String) -> String {
            String(name[name.index(after: name.firstIndex(of: "-") ?? name.startIndex)...])
        }

        private static func member(_ name: String, _ node: JSONNode) -> JSONNode {
            guard case .object(let members) = node else { return .null }
            return members.first { $0.0 == name }?.1 ?? .null
        }

        private static func content(_ locale: String) -> [(String, JSONNode)] {
            let number = locale == "en-US" ? 1 : 2
            let text: [(String, JSONNode)] = [
                ("header", .string("H\(number)")), ("body", .string("B\(number)")),
                ("image", .string("hero")),
                ("imageAltText", .string(number == 1 ? "A1" : "A3")),
            ]
            let point: [(String, JSONNode)] = [
                ("text", .string("T1")), ("image", .string("tick")), ("altText", .string("A2")),
            ]
            return number == 1 ? text + [("bulletPoints", .array([.object(point)]))] : text
        }
    }

    /// Returns the names of everything that the catalogue of a world has at Apple, by identifier.
    private static func names(_ status: ProgramRun) throws -> [String: String] {
        var names: [String: String] = [:]
        for item in try Tool.document(status).root.member("items")?.elements ?? [] {
            guard let identifier = item.member("identifier")?.string else { continue }
            names[identifier] = item.member("name")?.string
        }
        return names
    }

    private static let new = [
        "--app", "7", "--locale", "en-US", "--locale", "de-DE", "--product", "monthly", "--product", "annual",
    ]

    /// Adopts everything of a server, fills it in, and adopts again.
    private static func adopt(_ team: Team, _ names: [String: String], _ more: [String] = []) throws {
        let first = try team.run("adopt", new + ["--refresh"] + more)
        #expect(first.status == 2, "\(first)")
        #expect(first.output.contains("\nTo fill in: 4 items. "), "\(first.output)")
        let early = try team.run("plan", more)
        #expect(early.status == 65 && early.errors.contains("catalogue.unknown-name"), "\(early)")
        try team.fill(names)
        let second = try team.run("adopt", more)
        #expect(second.status == 0, "\(second)")
        #expect(second.output.contains("\n  + default  annual in de-DE: reminder\n"))
        #expect(second.output.hasSuffix("\n  + digest  of 4 pins\n"), "\(second.output)")
        let plan = try team.run("plan", more)
        #expect(plan.status == 0 && plan.output.contains("\n  nothing to do\n"), "\(plan)")
        let text = try team.text()
        let again = try team.run("adopt", more)
        #expect(again.status == 0 && again.output.hasSuffix("\nNothing to add.\n"), "\(again)")
        #expect(try team.text() == text)
    }

    @Test("makes a catalogue of what is at Apple, with which plan has nothing to do")
    func whole() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let names = try Self.names(try world.run("status", ["--json"]))
        let team = try Team(world.apple)
        try Self.adopt(team, names)
        #expect(try team.text().contains("https://example.com/b"))
        #expect(world.server.withState { $0.uploadCounts.values.allSatisfy { $0 == 1 } })
        // A changed text under a pin is an error.
        try team.folder.write(try team.text().replacing("\"H1\"", with: "\"H9\""), to: "catalogue.json")
        let changed = try team.run("plan")
        #expect(changed.status == 65 && changed.errors.contains("catalogue.pin-changed"), "\(changed)")
    }

    @Test("makes a first catalogue with a message where Apple has none, and says what a new one needs")
    func first() throws {
        let team = try Team(try CatalogueWorld().apple)
        let without = try team.run("adopt")
        #expect(without.status == 64 && without.errors.contains("a new catalogue needs --app"), "\(without)")
        let wrong = try team.run("adopt", ["--app", "7", "--locale", "en_US"])
        #expect(wrong.status == 65 && wrong.errors.contains("catalogue.bad-value"), "\(wrong)")
        #expect(throws: (any Error).self) { try team.text() }
        let run = try team.run("adopt", ["--app", "7", "--product", "pro", "--json"])
        #expect(run.status == 0, "\(run)")
        #expect(try Tool.document(run).root.member("toFillIn")?.count == 0)
        let plan = try team.run("plan")
        #expect(plan.status == 2 && plan.output.contains("  + message  value_reminder en-US as "), "\(plan)")
    }

    /// The simulator behind a server that passes requests on, as nginx does.
    @Test("takes over what the simulator has")
    func simulator() throws {
        let folder = try SimulatorProcess.makeFolder()
        let process = try SimulatorProcess(in: folder)
        let socket = folder.path(of: "socket")
        let apple = try AppleWorld { request in
            let parameters = [
                ("REQUEST_METHOD", request.method), ("REQUEST_URI", request.path),
                ("CONTENT_TYPE", request.headers["content-type"] ?? ""),
                ("CONTENT_LENGTH", String(request.body.count)),
                ("HTTP_AUTHORIZATION", request.headers["authorization"] ?? ""),
                ("APPSTORE_ENVIRONMENT", "Sandbox"),
            ]
            do {
                let client = try FastCGIClient(unixPath: socket)
                try client.send(FastCGIRecords.request(parameters, body: request.body))
                let reply = try client.readReply()
                return .respond(status: reply.status, body: reply.body)
            } catch { return .close }
        }
        let world = try CatalogueWorld(apple: apple)
        let credentials = [
            "--key-file", folder.path(of: "key.pem"), "--key-id", "KEY", "--issuer-id", "issuer",
        ]
        let apply = try world.run("apply", ["--confirm"] + credentials)
        #expect(apply.status == 0, "\(apply)")
        let names = try Self.names(try world.run("status", ["--json"] + credentials))
        try Self.adopt(try Team(apple), names, credentials)
        #expect(try process.end() == .exited(0))
    }
}
