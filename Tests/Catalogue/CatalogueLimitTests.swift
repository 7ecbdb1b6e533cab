import Catalogue
import Support
import System
import Testing

/// A limit of a catalogue, and a catalogue with a number of whatever is limited.
struct LimitRow: Sendable, CustomTestStringConvertible {
    let name: String
    /// The code without `catalogue.`.
    let code: String
    /// The greatest number that is allowed.
    let limit: Int
    /// Makes a catalogue with this number. `¦` marks the place that the finding must name.
    let source: @Sendable (Int) -> String

    init(_ name: String, _ code: String, _ limit: Int, _ source: @escaping @Sendable (Int) -> String) {
        self.name = name
        self.code = code
        self.limit = limit
        self.source = source
    }

    /// A row about the good catalogue with one change.
    static func change(
        _ name: String, _ code: String, _ limit: Int, _ old: String,
        _ new: @escaping @Sendable (Int) -> String
    ) -> LimitRow {
        LimitRow(name, code, limit) { GoodCatalogue.text.replacing(old, with: new($0), maxReplacements: 1) }
    }

    var testDescription: String { name }
}

@Suite("The limits of a catalogue")
struct CatalogueLimitTests {
    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func list(_ count: Int, _ entry: (Int) -> String) -> String {
        "{ \((0..<count).map(entry).joined(separator: ", ")) }"
    }

    private static let bullet = "{ \"text\": \"T\", \"image\": \"tick\", \"altText\": \"A\" }"

    private static let rows: [LimitRow] = [
        .change(
            "bullet points", "too-many", 5,
            "[{ \"text\": \"T1\", \"image\": \"tick\", \"altText\": \"A2\" }]"
        ) {
            "¦[\(Array(repeating: bullet, count: $0).joined(separator: ", "))]"
        },
        .change("the URL", "bad-value", 256, "\"https://example.com/a\"") {
            "¦\"https://e.com/\(letters($0 - 14))\""
        },
        .change("a message's name", "bad-value", CatalogueLimits.nameByteCount, "\"offer\": {") {
            "¦\"\(letters($0))\": {"
        },
        .change("an image's name", "bad-value", CatalogueLimits.nameByteCount, "\"images\": {") {
            "\"images\": { ¦\"\(letters($0))\": { \"file\": \"images/hero.png\", \"size\": \"FULL_SIZE\" },"
        },
        .change("a product", "bad-value", CatalogueLimits.productByteCount, "\"annual\": {} }") {
            "\"annual\": {}, ¦\"\(letters($0))\": {} }"
        },
        .change(
            "the bundle identifier", "bad-value", CatalogueLimits.bundleIdByteCount, "\"com.example.app\""
        ) {
            "¦\"\(letters($0))\""
        },
        .change("a group", "bad-value", CatalogueLimits.stringByteCount, "\"pro\"") {
            "¦\"\(letters($0))\""
        },
        .change("a path", "bad-value", CatalogueLimits.stringByteCount, "\"images/hero.png\"") {
            "¦\"\(letters($0))\""
        },
        .change("a revision", "bad-value", Int(CatalogueLimits.revision), "\"header\": \"H3\"") {
            "\"header\": \"H3\", \"revision\": ¦\($0)"
        },
        LimitRow("messages, each locale counted", "too-many", 2000) { count in
            catalogue(
                messages: "¦" + list(count) { "\"m\($0)\": { \"kind\": \"offer\", \"en-US\": \(text) }" }
            )
        },
        LimitRow("texts of messages in several locales", "too-many", 1000) { count in
            let texts = "\"en-US\": \(text), \"de-DE\": \(text)"
            return catalogue(messages: "¦" + list(count) { "\"m\($0)\": { \"kind\": \"offer\", \(texts) }" })
        },
        LimitRow("images", "too-many", 2000) { count in
            let file = "{ \"file\": \"images/hero.png\", \"size\": \"FULL_SIZE\" }"
            return catalogue(images: "¦" + list(count) { "\"i\($0)\": \(file)" })
        },
    ]

    private static let text = "{ \"header\": \"H\", \"body\": \"B\" }"

    private static func catalogue(
        messages: String = "{ \"m\": { \"kind\": \"offer\", \"en-US\": \(text) } }", images: String = "{}"
    ) -> String {
        """
        { "format": 1, "app": { "appAppleId": 7, "bundleId": "b" },
          "namespace": "5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41", "locales": ["en-US", "de-DE"],
          "images": \(images),
          "messages": \(messages) }
        """
    }

    @Test("allow that number and not one more, and name the place", arguments: rows)
    func limits(row: LimitRow) throws {
        let folder = try GoodCatalogue.folder()
        for (number, isAllowed) in [(row.limit, true), (row.limit + 1, false)] {
            let marked = row.source(number)
            let mark = try #require(marked.firstIndex(of: "¦"))
            let before = marked[..<mark].unicodeScalars.split(
                separator: "\n", omittingEmptySubsequences: false)
            let findings = GoodCatalogue.check(marked.replacing("¦", with: ""), in: folder).findings
            let found = findings.filter {
                $0.code == "catalogue.\(row.code)" && $0.line == before.count
                    && $0.column == (before.last?.count ?? 0) + 1
            }
            #expect(found.isEmpty == isAllowed, "\(number): \(findings.prefix(3).map(\.text))")
        }
    }

    @Test(
        "of a file's length are those of lint and of the reader",
        arguments: [(20 << 20, "odd-image: images/hero.png: 20971521 bytes"), (64 << 20, "image-file")]
    )
    func fileLengths(limit: Int, words: String) throws {
        let good = GoodCatalogue.hero.bytes()
        for (count, isAllowed) in [(limit, true), (limit + 1, false)] {
            let folder = try GoodCatalogue.folder(
                hero: good + [UInt8](repeating: 0, count: count - good.count)
            )
            let findings = GoodCatalogue.check(GoodCatalogue.text, in: folder).findings
            let found = findings.filter {
                $0.text.contains("catalogue.\(words)") && $0.line == 8 && $0.column == 23
            }
            #expect(found.isEmpty == isAllowed, "\(count): \(findings.map(\.text))")
        }
    }

    @Test(
        "of a text are those of the parser",
        arguments: [(CatalogueLimits.jsonDepth, true), (CatalogueLimits.jsonDepth + 1, false)]
    )
    func depth(count: Int, isAllowed: Bool) throws {
        let deep = String(repeating: "[", count: count - 1) + String(repeating: "]", count: count - 1)
        let text = GoodCatalogue.text.replacing("\"format\": 1,", with: "\"format\": 1, \"x\": \(deep),")
        let codes = GoodCatalogue.check(text, in: try GoodCatalogue.folder()).findings.map(\.code)
        #expect(codes == [isAllowed ? "catalogue.unknown-key" : "json.too-deep"])
    }

    @Test("of the whole text are 16 MiB", arguments: [0, 1])
    func length(excess: Int) throws {
        let count = CatalogueLimits.sourceByteCount - GoodCatalogue.text.utf8.count + excess
        let text = GoodCatalogue.text + String(repeating: " ", count: count)
        let findings = GoodCatalogue.check(text, in: try GoodCatalogue.folder()).findings
        #expect(findings.map(\.code) == (excess == 0 ? [] : ["json.too-large"]))
    }

    @Test(
        "are 1024 x 1024 for a bullet point",
        arguments: [(1023, 1024), (1025, 1024), (1024, 1023), (1024, 1025)]
    )
    func bulletSizes(width: UInt32, height: UInt32) throws {
        var image = GoodCatalogue.tick
        (image.width, image.height) = (width, height)
        let folder = try GoodCatalogue.folder()
        try folder.write(image.bytes(), to: "images/tick.png")
        let findings = GoodCatalogue.check(GoodCatalogue.text, in: folder).findings
        #expect(findings.map(\.code) == ["catalogue.bad-image"])
        #expect(findings.map(\.line) == [9] && findings.map(\.column) == [23])
    }

    @Test("of findings are a hundred; the others are counted, and an error is always listed")
    func findings() throws {
        let folder = try GoodCatalogue.folder()
        let warned = Self.catalogue(
            messages: Self.list(150) { "\"m\($0)\": { \"kind\": \"offer\", \"en-US\": \(Self.text) }" }
        )
        let checked = GoodCatalogue.check(warned, in: folder)
        #expect(!checked.hasErrors && checked.findings.count == 101)
        #expect(checked.findings.last?.code == "catalogue.more-findings")
        let wrong = warned.replacing(
            "\"m149\": { \"kind\": \"offer\"", with: "\"m149\": { \"kind\": \"offers\"")
        let findings = GoodCatalogue.check(wrong, in: folder).findings
        #expect(findings.filter { $0.code == "catalogue.bad-value" }.count == 1)
        #expect(throws: ToolError.self) {
            try GoodCatalogue.check(wrong, in: folder).resolved(for: .sandbox)
        }
    }
}
