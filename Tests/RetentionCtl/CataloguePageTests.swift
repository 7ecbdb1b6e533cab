import JSON
import Support
import System
import Testing

@Suite("retentionctl catalogue status --html")
struct CataloguePageTests {
    private static func page(_ world: CatalogueWorld) throws -> String {
        String(decoding: try world.apple.folder.read("page.html"), as: UTF8.self)
    }

    /// Runs the command, and looks for secrets in the page too.
    private static func run(_ world: CatalogueWorld, _ more: [String] = []) throws -> ProgramRun {
        let run = try world.run("status", ["--html", world.apple.folder.path(of: "page.html")] + more)
        if run.status == 0 {
            let page = try page(world)
            world.apple.checkSecrets(in: page)
            #expect(!page.contains(world.apple.folder.path), "a directory of this machine")
        }
        return run
    }

    private func count(_ words: String, in text: String) -> Int { text.ranges(of: words).count }

    @Test("asks Apple, and shows its states, default messages and the URL")
    func online() throws {
        let world = try CatalogueWorld()
        let first = try Self.run(world)
        #expect(first.status == 0 && first.output.contains("page.html: 2 messages, 2 images, "), "\(first)")
        #expect(try count("\u{2013} missing</span>", in: Self.page(world)) >= 4)
        #expect(try Self.page(world).contains("At Apple none is set."))
        #expect(world.apple.calls == ["GET /image/list", "GET /message/list", "GET /realtime/url"])
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let applied = try Self.run(world, ["--json"])
        let page = try Self.page(world)
        #expect(page.contains("Apple has approved everything.") && page.contains("Apple has it."))
        #expect(page.contains(", from the server <bdi>\(world.apple.server.url(""))</bdi>."))
        #expect(count("class=\"cell c-default\"", in: page) == 1 + 4)
        let document = try Tool.document(applied)
        #expect(document.root.member("messages")?.int64 == 2 && document.root.member("images")?.int64 == 2)
        #expect(document.root.member("bytes")?.int64 == Int64(page.utf8.count))
    }

    @Test("asks for every default message with --refresh")
    func refresh() throws {
        let world = try CatalogueWorld()
        let run = try Self.run(world, ["--refresh"])
        #expect(run.status == 0, "\(run)")
        #expect(world.apple.calls.filter { $0.hasPrefix("GET /default/") }.count == 4)
        #expect(try count("class=\"cell c-nothing\"", in: Self.page(world)) == 1 + 4)
    }

    @Test("names the rules that use a message, and refuses rules of another environment")
    func rules() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let rules = """
            {
              "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" }, "environment": "Sandbox",
              "locales": { "last": "en-US" }, "products": { "monthly": {}, "annual": {} },
              "rules": [
                { "id": "loyal", "when": { "fact": "productId", "eq": "monthly" }, "serve": { "message": "reminder" } }
              ]
            }
            """
        try world.apple.folder.write(rules, to: "rules.json")
        let file = world.apple.folder.path(of: "rules.json")
        let run = try Self.run(world, ["--rules", file])
        #expect(run.status == 0, "\(run)")
        let page = try Self.page(world)
        #expect(page.contains("rules.json: loyal"))
        #expect(count("class=\"cell c-rules\"", in: page) == 1 + 2)
        try world.apple.folder.write(rules.replacing("\"Sandbox\"", with: "\"Production\""), to: "rules.json")
        let other = try Self.run(world, ["--rules", file])
        #expect(other.status == 65 && other.errors.contains("error: input.other-app: "), "\(other)")
        #expect(try Self.page(world) == page)
    }

    @Test("is written whole or not at all, and never over what it reads")
    func output() throws {
        let world = try CatalogueWorld()
        try world.apple.folder.write("old", to: "page.html")
        func refused(_ status: Int32, _ words: String, _ more: [String]) throws {
            let run = try Self.run(world, more)
            #expect(run.status == status && run.errors.contains(words), "\(run)")
            #expect(try world.apple.folder.read("page.html") == Array("old".utf8))
        }
        try refused(65, "system.enoent", ["--html", world.apple.folder.path(of: "none/page.html")])
        try refused(65, "system.enoent", ["--rules", "/nonexistent"])
        var broken = TestPNG(3840, 160)
        broken.colorType = 0
        let header = TestPNG.signature + TestPNG.chunk("IHDR", broken.header)
        let pixels = TestPNG.stored([UInt8](repeating: 9, count: 100_000))
        try world.apple.folder.write(
            header + TestPNG.chunk("IDAT", pixels) + TestPNG.chunk("IEND", []), to: "hero.png")
        try refused(65, "error: catalogue.image-file: hero.png: ", [])
        try world.apple.folder.write("{}", to: "catalogue.json")
        try refused(65, "catalogue.json:1:1: error: catalogue.missing-key: ", [])
        let names = try Directory.names(
            in: FileDescriptor.openDirectory(path: world.apple.folder.path), limitCount: 100)
        #expect(!names.contains { $0.hasSuffix(".partial") })
    }
}
