import JSON
import Support
import System
import Testing

@Suite("retentionctl check and init")
struct CheckTests {
    private let folder: TemporaryDirectory
    private static let rules = SourceFile.root + "/examples/rules/seasons.json"
    private static let catalogue = SourceFile.root + "/examples/catalogue"

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test("sees what each file is, and ends with the worst status of all")
    func kinds() throws {
        let facts = try AnnualUpsell.facts(in: folder)
        let files = [Self.rules, Self.catalogue + "/catalogue.json", facts]
        let at = ["--at", "2026-11-21T00:00:00Z"]
        let run = try Tool.run(["check", "--format", "json"] + files + at)
        #expect(run.status == 0, "\(run)")
        let kinds = try Tool.document(run).root.member("files")?.elements.map { $0.member("kind")?.string }
        #expect(kinds == ["rules", "catalogue", "facts"])
        let text = try Tool.run(["check"] + files + at)
        #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
        for file in files { #expect(text.output.contains("\(file)\n  kind ")) }
        let late = ["--at", "2026-12-01T00:00:00Z"]
        #expect(try Tool.run(["check"] + files + late).status == 1)
        let missing = try Tool.run(["check", "/nonexistent"] + files + late)
        #expect(missing.status == 65 && missing.errors.contains("/nonexistent: error: system.enoent"))
        #expect(missing.errors.contains("lint.expired-window"))
    }

    @Test("takes messages of a catalogue, and passes nothing that compile refuses")
    func catalogue() throws {
        let rules = Self.catalogue + "/rules.json"
        let compile = ["compile", rules, "-o", folder.path(of: "app.rules.json")]
        for words in [["check", rules], compile] {
            let run = try Tool.run(words)
            #expect(run.status == 65 && run.errors.contains("rules.unknown-name"), "\(run)")
            let with = try Tool.run(words + ["--catalogue", Self.catalogue + "/catalogue.json"])
            #expect(with.status == 0, "\(with)")
        }
    }

    @Test("ends with 0 for notes, 1 for warnings and 65 for errors, and leaves out what is ignored")
    func statuses() throws {
        let late = ["check", Self.rules, "--at", "2026-12-01T00:00:00Z"]
        let warned = try Tool.run(late)
        #expect(warned.status == 1)
        #expect(warned.errors.contains(":44:57: warning: lint.expired-window: "))
        #expect(try Tool.run(late + ["--ignore", "expired-window"]).status == 0)
        #expect(try Tool.run(late + ["--ignore", "lint.expired-window"]).status == 0)
        let notes = String(decoding: try SourceFile.read(Self.rules), as: UTF8.self)
            .replacing("\"killSwitch\": false", with: "\"killSwitch\": true")
        let noted = try Tool.run(["check", "-", "--at", "2026-11-21T00:00:00Z"], input: Array(notes.utf8))
        #expect(noted.status == 0)
        #expect(
            noted.errors == "-:7:17: note: lint.kill-switch: nothing is served "
                + "(set \"killSwitch\" to false to serve messages again)\n"
        )
        #expect(try Tool.run(["check", "-"], input: Array("{".utf8)).status == 65)
    }

    @Test("names what is wrong with a catalogue and its images, and leaves out what is ignored")
    func catalogues() throws {
        // The same text elsewhere has no images.
        let text = String(decoding: try SourceFile.read(Self.catalogue + "/catalogue.json"), as: UTF8.self)
        try folder.write(text, to: "catalogue.json")
        let file = folder.path(of: "catalogue.json")
        let moved = try Tool.run(["check", file])
        #expect(moved.status == 65)
        #expect(
            moved.errors.contains("\(file):12:23: error: catalogue.image-file: images/hero.png: "),
            "\(moved.errors)")
        #expect(try initialise().status == 65)
        let other = try CheckTests()
        #expect(try other.initialise(["--product", "pro"]).status == 0)
        let first = String(decoding: try other.folder.read("catalogue.json"), as: UTF8.self)
        try folder.write(first.replacing("\"en-US\"\n", with: "\"en-US\", \"de-DE\"\n"), to: "catalogue.json")
        let warned = try Tool.run(["check", file])
        #expect(
            warned.status == 1 && warned.errors.contains("warning: catalogue.missing-locale: "), "\(warned)")
        let ignored = ["--ignore", "missing-locale", "--ignore", "catalogue.missing-default"]
        #expect(try Tool.run(["check", file] + ignored).status == 0)
    }

    @Test(
        "refuses what is not a file, and waits for nothing",
        arguments: [
            ("folder", 65, "system.eisdir"), ("/dev/zero", 65, "file.too-large"), ("fifo", 65, "json.syntax"),
        ] as [(String, Int32, String)]
    )
    func notFiles(path: String, status: Int32, code: String) throws {
        try folder.makeDirectory("folder")
        _ = try ProgramRun.run("mkfifo", [folder.path(of: "fifo")])
        let run = try Tool.run(["check", path.hasPrefix("/") ? path : folder.path(of: path)])
        #expect(run.status == status && run.errors.contains(" error: \(code): "), "\(run)")
    }

    @Test("writes its findings in the forms of build servers")
    func formats() throws {
        let late = ["check", Self.rules, "--at", "2026-12-01T00:00:00Z", "--format"]
        let text = try Tool.run(late + ["text"]).errors
        let message = try #require(text.firstMatch(of: /expired-window: (.+)\n/)?.output.1)
        let github = try Tool.run(late + ["github"])
        #expect(github.status == 1 && github.errors.isEmpty)
        #expect(
            github.output
                == "::warning file=\(Self.rules),line=44,col=57,title=lint.expired-window::\(message)\n")
        let sarif = try Tool.document(try Tool.run(late + ["sarif"])).root
        #expect(sarif.member("version")?.string == "2.1.0")
        let result = sarif.member("runs")?.element(at: 0)?.member("results")?.element(at: 0)
        #expect(result?.member("ruleId")?.string == "lint.expired-window")
        #expect(result?.member("level")?.string == "warning")
        let place = result?.member("locations")?.element(at: 0)?.member("physicalLocation")
        #expect(place?.member("artifactLocation")?.member("uri")?.string == Self.rules)
        #expect(place?.member("region")?.member("startLine")?.int64 == 44)
        let junit = try Tool.run(late + ["junit"]).output
        let lines = junit.split(separator: "\n")
        #expect(lines.first == #"<?xml version="1.0" encoding="UTF-8"?>"# && lines.last == "</testsuites>")
        #expect(junit.contains(#/<testsuite name="[^"]+" tests="\d+" failures="1">/#))
        #expect(
            junit.contains(#/<testcase name="lint.expired-window"><failure message="[^"<]+"\/><\/testcase>/#))
        let json = try Tool.document(try Tool.run(late.dropLast() + ["--json"])).root
        #expect(json.member("diagnostics")?.element(at: 0)?.member("line")?.int64 == 44)
    }

    private func initialise(_ options: [String] = []) throws -> ProgramRun {
        try Tool.run(
            ["init", folder.path, "--app", "7", "--bundle-id", "com.example.app", "--environment", "Sandbox"]
                + options)
    }

    @Test("init writes rules and a catalogue that pass check and compile, with a namespace that nobody has")
    func first() throws {
        let run = try initialise(["--locale", "en-GB", "--product", "pro", "--product", "max", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        let (rules, catalogue) = (folder.path(of: "rules.json"), folder.path(of: "catalogue.json"))
        #expect(
            try Tool.document(run).root.member("next")?.string
                == "retentionctl check \(rules) --catalogue \(catalogue)")
        for files in [[rules, "--catalogue", catalogue], [catalogue]] {
            let check = try Tool.run(["check"] + files)
            #expect(check.status == 0 && check.errors.isEmpty, "\(check)")
        }
        let pushed = ["-o", folder.path(of: "app.rules.json"), "--catalogue", catalogue]
        #expect(try Tool.run(["compile", rules] + pushed).status == 0)
        let other = try CheckTests()
        #expect(try other.initialise().status == 0)
        #expect(try other.folder.read("catalogue.json") != folder.read("catalogue.json"))
    }

    @Test("init never overwrites a file, and writes nothing that nobody could read")
    func refusals() throws {
        try folder.write("mine", to: "catalogue.json")
        let run = try initialise()
        #expect(run.status == 65 && run.errors.contains(": error: file.exists: "))
        #expect(try folder.read("catalogue.json") == Array("mine".utf8))
        #expect(throws: (any Error).self) { try folder.read("rules.json") }
        let bad = try CheckTests()
        for (option, value, code) in [("--locale", "en_US", "bad-value"), ("--product", "*", "bad-value")] {
            let run = try bad.initialise([option, value])
            #expect(run.status == 65 && run.errors.contains("error: catalogue.\(code): "), "\(run.errors)")
            #expect(throws: (any Error).self) { try bad.folder.read("catalogue.json") }
        }
    }
}
