import JSON
import Support
import Testing
import Vocabulary

@Suite("retentionctl catalogue")
struct CatalogueCommandTests {
    private let folder: TemporaryDirectory
    private static let example = SourceFile.root + "/examples/catalogue"

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func initialise(_ options: [String] = []) throws -> ProgramRun {
        let file = folder.path(of: "catalogue.json")
        return try Tool.run(
            ["catalogue", "init", "--app", "7", "--bundle-id", "com.example.app", file] + options
        )
    }

    @Test("init writes a first catalogue in which lint finds nothing, with a namespace that nobody has")
    func first() throws {
        let run = try initialise(["--locale", "en-GB", "--product", "pro", "--product", "max", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let namespace = try #require(try Tool.document(run).root.member("namespace")?.string)
        #expect(UUID(namespace) != nil)
        let lint = try Tool.run(["catalogue", "lint", folder.path(of: "catalogue.json")])
        #expect(
            lint.status == 0 && lint.errors.isEmpty && lint.output.hasSuffix("nothing found\n"),
            "\(lint.errors)")
        let other = try CatalogueCommandTests()
        #expect(try Tool.document(other.initialise(["--json"])).root.member("namespace")?.string != namespace)
    }

    @Test("init never overwrites a file, and writes nothing that nobody could read")
    func refusals() throws {
        try folder.write("mine", to: "catalogue.json")
        let run = try initialise()
        #expect(run.status == 77 && run.errors.contains(": error: catalogue.exists: "))
        #expect(try folder.read("catalogue.json") == Array("mine".utf8))
        let bad = try CatalogueCommandTests()
        for (option, value, code) in [
            ("--locale", "en_US", "bad-locale"), ("--product", "*", "bad-name"),
            ("--product", "", "bad-name"),
        ] {
            let run = try bad.initialise([option, value])
            #expect(run.status == 65 && run.errors.contains("error: catalogue.\(code): "), "\(run.errors)")
            #expect(throws: (any Error).self) { try bad.folder.read("catalogue.json") }
        }
    }

    @Test("init warns of a locale that the App Store does not have")
    func unknownLocale() throws {
        let run = try initialise(["--locale", "en-UK", "--locale", "de-DE", "--json"])
        #expect(run.status == 0)
        let file = folder.path(of: "catalogue.json")
        let place = "\(file):9:5: warning: catalogue.unknown-locale: \"en-UK\""
        #expect(run.errors.hasPrefix(place), "\(run.errors)")
        #expect(run.errors.hasSuffix("(did you mean \"en-GB\"?)\n"))
        #expect(try Tool.document(run).root.member("file")?.string == file)
    }

    @Test("lint ends with 0, 1 or 65, and names file, line and column")
    func statuses() throws {
        _ = try initialise(["--locale", "en-US", "--locale", "de-DE", "--product", "pro"])
        let file = folder.path(of: "catalogue.json")
        let warned = try Tool.run(["catalogue", "lint", file])
        #expect(warned.status == 1)
        #expect(
            warned.errors.contains("\(file):17:5: warning: catalogue.missing-locale: "), "\(warned.errors)")
        let ignored = try Tool.run([
            "catalogue", "lint", file, "--ignore", "missing-locale", "--ignore", "catalogue.missing-default",
        ])
        #expect(ignored.status == 0, "\(ignored.errors)")
        #expect(try Tool.run(["catalogue", "lint", file, "--ignore", "bad-name"]).status == 64)
        let text = String(decoding: try folder.read("catalogue.json"), as: UTF8.self)
        try folder.write(
            text.replacing("\"kind\": \"text\"", with: "\"kind\": \"next\""), to: "catalogue.json")
        let wrong = try Tool.run(["catalogue", "lint", file, "--json"])
        #expect(wrong.status == 65 && wrong.errors.isEmpty)
        let codes = try Tool.document(wrong).root.member("diagnostics")?.elements.compactMap {
            $0.member("code")?.string
        }
        #expect(codes?.contains("catalogue.unknown-value") == true)
        #expect(try Tool.run(["catalogue", "lint", "/nonexistent"]).status == 66)
    }

    @Test("lint finds nothing in the example, and its images beside it")
    func example() throws {
        let run = try Tool.run(["catalogue", "lint", Self.example + "/catalogue.json"])
        #expect(run.status == 0, "\(run.errors)")
        // The same text elsewhere has no images.
        try folder.write(try SourceFile.read(Self.example + "/catalogue.json"), to: "catalogue.json")
        let moved = try Tool.run(["catalogue", "lint", folder.path(of: "catalogue.json")])
        #expect(moved.status == 65)
        #expect(
            moved.errors.contains(":12:23: error: catalogue.image-missing: images/hero.png: "),
            "\(moved.errors)")
    }

    private func compile(_ options: [String]) throws -> ProgramRun {
        let output = folder.path(of: "app.rules.json")
        return try Tool.run(["compile", Self.example + "/rules.json", "-o", output] + options)
    }

    /// The rules that were compiled last.
    private func compiled() throws -> JSONDocument {
        let text = try folder.read("app.rules.json")
        return try JSONDocument(parsing: text.span, limits: JSONLimits(byteCount: 1 << 20, depth: 32))
    }

    @Test("feeds rules, which name its messages only")
    func compile() throws {
        let catalogue = ["--catalogue", Self.example + "/catalogue.json"]
        #expect(try compile([]).errors.contains("rules.unknown-message"))
        let run = try compile(catalogue)
        #expect(run.status == 0, "\(run.errors)")
        let messages = try compiled().root.member("messages")
        #expect(messages?.members.map(\.name).sorted() == ["go_annual", "value_reminder"])
        #expect(messages?.member("go_annual")?.member("kind")?.string == "switch")
        let explain = ["explain", "--product", "pro_monthly"]
        for command in [["lint"], ["test"], explain] {
            let run = try Tool.run(command + [Self.example + "/rules.json"] + catalogue)
            #expect(run.status == 0, "\(run.errors)")
        }
        try folder.write(
            "{ \"productId\": \"pro_monthly\", \"userLocale\": \"en-US\", \"originalTransactionId\": \"1\" }\n",
            to: "sample")
        let sample = ["--sample", folder.path(of: "sample")]
        let diff = try Tool.run(
            ["diff", folder.path(of: "app.rules.json"), Self.example + "/rules.json", "--exit-code"] + sample
                + catalogue
        )
        #expect(diff.status == 0, "\(diff.errors)")
    }

    @Test("feeds the rules that a facts file is checked against")
    func facts() throws {
        let schema =
            #"{"app": {"appAppleId": 6745974591}, "environment": "Sandbox", "facts": {"paidPeriods": "int"}}"#
        try folder.write(schema, to: "schema.json")
        try folder.write("originalTransactionId,paidPeriods\n2000000001,3\n", to: "table.csv")
        let file = folder.path(of: "app.facts")
        let made = try Tool.run([
            "facts", "compile", folder.path(of: "table.csv"), "--schema", folder.path(of: "schema.json"),
            "-o", file,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let check = ["facts", "check", file]
        let rules = ["--rules", Self.example + "/rules.json"]
        let catalogue = ["--catalogue", Self.example + "/catalogue.json"]
        let without = try Tool.run(check + rules)
        #expect(without.status == 65 && without.errors.contains("rules.unknown-message"), "\(without)")
        let with = try Tool.run(check + rules + catalogue)
        #expect(with.status == 0 && with.output.hasPrefix("\(file): 1 row of 1 facts, "), "\(with)")
        let alone = try Tool.run(check + catalogue)
        #expect(alone.status == 64 && alone.errors.contains("--catalogue needs --rules"), "\(alone)")
    }

    @Test("feeds rules together with the states of an inventory")
    func inventory() throws {
        let catalogue = ["--catalogue", Self.example + "/catalogue.json"]
        _ = try compile(catalogue)
        let messages = try compiled().root.member("messages")?.members ?? []
        let identifiers = messages.flatMap {
            $0.value.member("ids")?.members.compactMap(\.value.string) ?? []
        }
        #expect(identifiers.count == 4)
        let states = identifiers.map {
            "{ \"messageIdentifier\": \"\($0)\", \"messageState\": \"APPROVED\" }"
        }
        try folder.write(
            "{ \"messageIdentifiers\": [\(states.joined(separator: ", "))] }", to: "inventory.json")
        let run = try compile(catalogue + ["--inventory", folder.path(of: "inventory.json")])
        // The image of one message is in no list, so that message waits.
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("rules.json:16:25: warning: lint.pending-locale: "), "\(run.errors)")
    }

    @Test("stops rules with its own errors, and names its file")
    func wrongCatalogue() throws {
        try folder.write("{ \"format\": 2 }", to: "catalogue.json")
        let run = try compile(["--catalogue", folder.path(of: "catalogue.json")])
        #expect(run.status == 65)
        #expect(
            run.errors.contains("/catalogue.json:1:13: error: catalogue.unknown-format: "), "\(run.errors)")
        #expect(!run.errors.contains("rules."))
        #expect(try compile(["--catalogue", "/nonexistent"]).status == 66)
    }

    @Test(
        "a catalogue that is not a file is refused, and nothing waits for it",
        arguments: [
            ("folder", 74, "system.eisdir"), ("/dev/zero", 74, "file.too-large"), ("fifo", 65, "json.syntax"),
        ]
            as [(String, Int32, String)]
    )
    func notFiles(path: String, status: Int32, code: String) throws {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("folder")
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo")])
        let file = path.hasPrefix("/") ? path : folder.path(of: path)
        let run = try Tool.run(["catalogue", "lint", file])
        #expect(run.status == status && run.errors.contains(" error: \(code): "), "\(run)")
    }
}
