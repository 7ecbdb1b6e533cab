import JSON
import Support
import System
import Testing

@Suite("retentionctl catalogue adopt", .timeLimit(.minutes(5)))
struct CatalogueAdoptTests {
    /// Fills the names into a skeleton, as a person would who still has the texts of ``CatalogueWorld/text``. `names` has the
    /// names by identifier, as `catalogue status` prints them: `hero`, `reminder en-US`.
    static func filled(
        _ skeleton: [UInt8],
        names: [String: String],
        _ isNamed: (String) -> Bool = { _ in true }
    ) throws -> String {
        let document = try JSONDocument(
            parsing: skeleton.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
        guard case .object(var root) = JSONNode(document.root) else { return "" }
        for index in root.indices {
            if root[index].0 == "app" {
                root[index].1 = .object([
                    ("appAppleId", .integer(7)), ("bundleId", .string("com.example.app")),
                ])
            }
            guard case .array(let entries) = root[index].1 else { continue }
            root[index].1 = .array(
                try entries.map { entry in
                    guard case .object(let members) = entry, case .string(let identifier)? = members.first?.1
                    else {
                        return entry
                    }
                    let name = try #require(names[identifier], "\(identifier)")
                    guard isNamed(name) else { return entry }
                    let given = Dictionary(contents(of: name)) { first, _ in first }
                    return .object(members.filter { given[$0.0] == nil } + contents(of: name))
                }
            )
        }
        return String(decoding: JSONNode.object(root).serialized(pretty: true), as: UTF8.self)
    }

    private static func contents(of name: String) -> [(String, JSONNode)] {
        func texts(_ locale: String, _ number: Int, _ alternative: String) -> [(String, JSONNode)] {
            [
                ("name", .string("reminder")), ("locale", .string(locale)), ("kind", .string("text")),
                ("header", .string("H\(number)")), ("body", .string("B\(number)")),
                ("image", .string("hero")), ("imageAltText", .string(alternative)),
            ]
        }
        let point: [(String, JSONNode)] = [
            ("text", .string("T1")), ("image", .string("tick")), ("altText", .string("A2")),
        ]
        switch name {
        case "reminder en-US": return texts("en-US", 1, "A1") + [("bulletPoints", .array([.object(point)]))]
        case "reminder de-DE": return texts("de-DE", 2, "A3")
        default:
            let size = name == "hero" ? "FULL_SIZE" : "BULLET_POINT"
            return [("name", .string(name)), ("file", .string("\(name).png")), ("size", .string(size))]
        }
    }

    /// Returns the names of everything that the catalogue of a world has at Apple, by identifier.
    static func names(_ world: CatalogueWorld) throws -> [String: String] {
        let status = try world.run("status", ["--json"])
        var names: [String: String] = [:]
        for item in try Tool.document(status).root.member("items")?.elements ?? [] {
            guard let identifier = item.member("identifier")?.string else { continue }
            names[identifier] = item.member("name")?.string
        }
        return names
    }

    /// The folder of a team that has the images alone.
    struct Team {
        let folder: TemporaryDirectory
        let world: CatalogueWorld
        var catalogue: String { folder.path(of: "catalogue.json") }
        var map: String { folder.path(of: "map.json") }

        init(_ world: CatalogueWorld) throws {
            self.world = world
            folder = try TemporaryDirectory()
            for name in ["hero.png", "tick.png"] {
                try folder.write(try world.apple.folder.read(name), to: name)
            }
        }

        /// Runs a command for the team's catalogue, with a state of its own.
        func run(_ command: String, _ more: [String] = []) throws -> ProgramRun {
            let state = ["--state", folder.path(of: "state")]
            let run = try Tool.run(["catalogue", command, catalogue] + world.apple.options + state + more)
            world.apple.checkSecrets(run)
            return run
        }

        /// Writes the skeleton, and fills names into it.
        func fill(_ names: [String: String], _ isNamed: (String) -> Bool = { _ in true }) throws {
            let run = try run("adopt", ["--skeleton", map, "--confirm"])
            #expect(run.status == 0, "\(run)")
            try folder.write(
                try CatalogueAdoptTests.filled(try folder.read("map.json"), names: names, isNamed),
                to: "map.json")
        }
    }

    private static func applied() throws -> (world: CatalogueWorld, names: [String: String]) {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        return (world, try names(world))
    }

    @Test("makes a catalogue in which lint finds nothing and plan has nothing to do")
    func whole() throws {
        let (world, names) = try Self.applied()
        let team = try Team(world)
        let products = ["--product", "monthly", "--product", "annual"]
        let skeleton = try team.run("adopt", ["--skeleton", team.map] + products)
        #expect(skeleton.status == 0, "\(skeleton)")
        #expect(skeleton.output == "\(team.map): 2 messages and 2 images without a name\n")
        try team.fill(names)
        let adopt = try team.run("adopt", ["--map", team.map, "--refresh"] + products)
        #expect(adopt.status == 0, "\(adopt)")
        #expect(
            adopt.output.hasSuffix("\nNamed: 4. Known before: 0. Without a name: 0.\n"), "\(adopt.output)")
        #expect(adopt.output.contains("  + default  annual in de-DE: reminder\n"))
        #expect(adopt.output.contains("  + url  https://example.com/b\n"))
        let lint = try Tool.run(["catalogue", "lint", team.catalogue])
        #expect(lint.status == 0, "\(lint)")
        let plan = try team.run("plan")
        #expect(plan.status == 0 && plan.output.contains("\n  nothing to do\n"), "\(plan)")
        let text = String(decoding: try team.folder.read("catalogue.json"), as: UTF8.self)
        #expect(text.contains("\"annual\": \"reminder\""))
        // Nothing was changed at Apple, and a second run has nothing to add and asks nothing.
        #expect(world.server.withState { $0.uploadCounts.values.allSatisfy { $0 == 1 } })
        let again = try team.run("adopt", ["--map", team.map])
        #expect(again.status == 0 && again.output.contains("Known before: 4."), "\(again)")
        #expect(String(decoding: try team.folder.read("catalogue.json"), as: UTF8.self) == text)
    }

    @Test("says what has no name with status 1, and adds it later, after asking")
    func parts() throws {
        let (world, names) = try Self.applied()
        let team = try Team(world)
        try team.fill(names) { $0 != "reminder de-DE" }
        let first = try team.run("adopt", ["--map", team.map, "--json"])
        #expect(first.status == 1, "\(first)")
        let document = try Tool.document(first).root
        #expect(document.member("named")?.count == 3 && document.member("knownBefore")?.int64 == 0)
        let german = names.first { $0.value == "reminder de-DE" }?.key
        let unnamed = document.member("unnamed")?.element(at: 0)
        #expect(
            unnamed?.member("identifier")?.string == german && unnamed?.member("state")?.string == "APPROVED"
        )
        // The skeleton of a catalogue has what it lacks alone.
        try team.fill(names)
        let kept = try team.folder.read("map.json")
        #expect(!String(decoding: kept, as: UTF8.self).contains("hero.png"))
        let before = try team.folder.read("catalogue.json")
        let refused = try team.run("adopt", ["--map", team.map])
        #expect(refused.status == 64 && refused.errors.contains("error: apple.not-confirmed: Add this to "))
        let skeleton = try team.run("adopt", ["--skeleton", team.map])
        #expect(skeleton.status == 64 && skeleton.errors.contains("error: apple.not-confirmed: Replace "))
        #expect(try team.folder.read("catalogue.json") == before && team.folder.read("map.json") == kept)
        let second = try team.run("adopt", ["--map", team.map, "--confirm"])
        #expect(second.status == 0, "\(second)")
        // Without products there are no default messages.
        let plan = try team.run("plan")
        #expect(plan.status == 0 && plan.output.contains("\n  nothing to do\n"), "\(plan)")
    }

    @Test("writes nothing when the map is wrong, and names its file, line and column")
    func wrongMap() throws {
        let (world, names) = try Self.applied()
        let team = try Team(world)
        try team.fill(names)
        let good = String(decoding: try team.folder.read("map.json"), as: UTF8.self)
        for (old, new, code) in [
            ("\"H1\"", "7", "catalogue.wrong-type"),
            ("\"hero.png\"", "\"none.png\"", "catalogue.image-missing"),
            ("\"Sandbox\"", "\"Production\"", "catalogue.map-conflict"),
            ("\"format\"", "format", "json.syntax"),
        ] {
            try team.folder.write(good.replacing(old, with: new, maxReplacements: 1), to: "map.json")
            let run = try team.run("adopt", ["--map", team.map])
            #expect(run.status == 65 && run.errors.contains(" error: \(code): "), "\(run)")
            #expect(run.errors.hasPrefix("\(team.map):"), "\(run)")
            #expect(throws: (any Error).self) { try team.folder.read("catalogue.json") }
        }
        let numberless = good.replacing("\"appAppleId\": 7", with: "\"appAppleId\": null")
        try team.folder.write(numberless, to: "map.json")
        let run = try team.run("adopt", ["--map", team.map])
        #expect(run.status == 65 && run.errors.contains("catalogue.missing-key: \"app\" has no"), "\(run)")
        try team.folder.write(good, to: "map.json")
        let locale = try team.run("adopt", ["--map", team.map, "--locale", "en_US"])
        #expect(locale.status == 65 && locale.errors.contains("catalogue.bad-locale"), "\(locale)")
    }

    @Test("leaves a catalogue alone that somebody changes in the meantime")
    func changed() throws {
        let (world, names) = try Self.applied()
        let team = try Team(world)
        try team.fill(names)
        let whole = try team.folder.read("map.json")
        try team.fill(names) { $0 != "reminder de-DE" }
        #expect(try team.run("adopt", ["--map", team.map]).status == 1)
        try team.folder.write(whole, to: "map.json")
        let path = team.catalogue
        let changed = try team.folder.read("catalogue.json") + Array("\n".utf8)
        world.server.withState { state in
            state.strike = { _, moment in
                guard moment == .before else { return }
                try? AtomicFile.write(changed.span, to: path)
            }
        }
        let run = try team.run("adopt", ["--map", team.map, "--confirm"])
        #expect(run.status == 1 && run.errors.contains("error: catalogue.changed: "), "\(run)")
        #expect(try team.folder.read("catalogue.json") == changed)
        // A new catalogue is never written over one that appears.
        try Directory.removeFile(path: path)
        let late = try team.run("adopt", ["--map", team.map, "--confirm"])
        #expect(late.status == 1 && late.errors.contains("error: catalogue.changed: "), "\(late)")
        #expect(try team.folder.read("catalogue.json") == changed)
    }

    @Test(
        "checks the command line",
        arguments: [
            ([], "either --skeleton or --map"),
            (["--skeleton", "a", "--map", "b"], "either --skeleton or --map"),
            (["--map", "-"], "must be files"), (["--map", "CATALOGUE"], "is read and would be written over"),
            (["--skeleton", "CATALOGUE"], "is read and would be written over"),
            (["--map", "MAP", "--locale", "en-US"], "catalogue.exists"),
            (["--map", "MAP", "--bundle-id", "com.example.other"], "catalogue.other-app"),
        ] as [([String], String)]
    )
    func usage(options: [String], words: String) throws {
        let world = try CatalogueWorld()
        let map = world.apple.folder.path(of: "map.json")
        try world.apple.folder.write(
            #"{"format":1,"app":{"bundleId":"com.example.app"},"environment":"Sandbox"}"#,
            to: "map.json"
        )
        let places = ["CATALOGUE": world.catalogue, "MAP": map]
        let run = try world.run("adopt", options.map { places[$0] ?? $0 })
        #expect(run.status == 64 && run.errors.contains(words), "\(run)")
        #expect(try world.apple.folder.read("catalogue.json") == Array(CatalogueWorld.text.utf8))
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
        let status = try world.run("status", ["--json"] + credentials)
        var names: [String: String] = [:]
        for item in try Tool.document(status).root.member("items")?.elements ?? [] {
            names[item.member("identifier")?.string ?? ""] = item.member("name")?.string
        }
        let team = try Team(world)
        let products = ["--product", "monthly", "--product", "annual"]
        #expect(try team.run("adopt", ["--skeleton", team.map] + credentials).status == 0)
        try team.folder.write(try Self.filled(try team.folder.read("map.json"), names: names), to: "map.json")
        let adopt = try team.run("adopt", ["--map", team.map, "--refresh"] + products + credentials)
        #expect(adopt.status == 0 && adopt.output.contains("Named: 4."), "\(adopt)")
        #expect(try Tool.run(["catalogue", "lint", team.catalogue]).status == 0)
        let plan = try team.run("plan", credentials)
        #expect(plan.status == 0, "\(plan)")
        #expect(try process.end() == .exited(0))
    }
}
