import JSON
import Support
import Testing

@Suite("A rules source that includes files")
struct IncludeTests {
    private static let shared = """
        {
          "facts": { "plan": "string" },
          "segments": {
            "loyal": { "fact": "plan", "eq": "old" }
          },
          "rules": [
            { "id": "first",
              "when": { "segment": "loyal" }, "serve": "none" }
          ]
        }
        """

    private static let source = """
        { "format": 1, "include": ["shared/segments.json"],
          "app": { "appAppleId": 7, "bundleId": "com.example.app" }, "environment": "Production",
          "segments": { "new": { "fact": "plan", "eq": "new" } },
          "rules": [ { "id": "second", "when": { "segment": "new" }, "serve": "none" } ],
          "default": { "serve": "none" } }
        """

    /// A folder with the two files.
    private static func folder(_ shared: String = Self.shared, _ source: String = Self.source) throws
        -> TemporaryDirectory
    {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("shared")
        try folder.write(shared, to: "shared/segments.json")
        try folder.write(source, to: "rules.json")
        return folder
    }

    private static func compile(_ folder: TemporaryDirectory) throws -> ProgramRun {
        try Tool.run(["compile", folder.path(of: "rules.json"), "-o", folder.path(of: "app.rules.json")])
    }

    @Test("is compiled into one that stands alone, the included rules first")
    func compiled() throws {
        let folder = try Self.folder()
        let run = try Self.compile(folder)
        #expect(run.status == 0, "\(run)")
        let limits = JSONLimits(byteCount: 1 << 16, depth: 16)
        let bytes = try folder.read("app.rules.json")
        let root = try JSONDocument(parsing: bytes.span, limits: limits).root
        #expect(root.member("include") == nil)
        let rules = root.member("rules")?.elements.compactMap { $0.member("id")?.string } ?? []
        #expect(rules == ["first", "second"])
        let segments = root.member("segments")?.members.map(\.name) ?? []
        #expect(segments == ["loyal", "new"])
        let check = try Tool.run([
            "check", folder.path(of: "app.rules.json"), "--ignore", "serves-nothing", "--ignore",
            "untested-rule",
        ])
        #expect(check.status == 0, "\(check)")
    }

    /// A change to the files, and the file and the beginning of the error.
    struct Mistake: Sendable {
        let old: String
        let new: String
        let file: String
        let error: String
    }

    static let mistakes = [
        Mistake(
            old: #""segment": "loyal""#, new: #""segment": "loyale""#, file: "shared/segments.json",
            error: ":8:28: error: rules.unknown-name: "),
        Mistake(
            old: #""second""#, new: #""first""#, file: "rules.json",
            error: ":4:22: error: rules.duplicate: "),
        Mistake(
            old: #""new": {"#, new: #""loyal": {"#, file: "rules.json",
            error: ":3:17: error: json.duplicate-key: "),
        Mistake(
            old: "{\n  \"facts\"", new: "{\n  \"holdout\": {},\n  \"facts\"", file: "shared/segments.json",
            error: ":2:3: error: rules.unknown-key: "),
        Mistake(old: "}\n  ]\n}", new: "}\n  ]", file: "shared/segments.json", error: ":9:4: error: json."),
    ]

    @Test("has its errors where the author wrote them", arguments: mistakes)
    func places(mistake: Mistake) throws {
        let folder = try Self.folder(
            Self.shared.replacing(mistake.old, with: mistake.new),
            Self.source.replacing(mistake.old, with: mistake.new))
        let run = try Self.compile(folder)
        let place = folder.path(of: mistake.file)
        #expect(run.status == 65, "\(run)")
        #expect(run.errors.hasPrefix(place + mistake.error), "\(run)")
    }

    @Test("names a file that is not there")
    func missing() throws {
        let run = try Self.compile(
            Self.folder(Self.shared, Self.source.replacing("segments.json", with: "none.json")))
        #expect(run.status != 0)
        #expect(run.errors.contains("shared/none.json"), "\(run)")
    }
}
