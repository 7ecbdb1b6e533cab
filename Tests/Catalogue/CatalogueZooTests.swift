import Catalogue
import Support
import System
import Testing

@Suite("The zoo of catalogues")
struct CatalogueZooTests {
    @Test("has nothing wrong with the good one")
    func good() throws {
        let checked = GoodCatalogue.check(
            GoodCatalogue.text, in: try GoodCatalogue.folder(), decodesAll: true)
        #expect(checked.findings.map(\.text) == [])
        #expect(!checked.hasErrors)
    }

    @Test("has the findings of the golden list, and one for every reason")
    func golden() throws {
        var text = ""
        var codes: Set<String> = []
        let rows = try CatalogueRows.all()
        for row in rows {
            let findings = try row.findings()
            codes.formUnion(findings.map(\.code))
            let isJSON = !findings.contains { $0.code.hasPrefix("json.") }
            let isSeen = try isJSON && !CatalogueSchemaTests.errors(try row.source()).isEmpty
            let found =
                findings.map { DisplayText.escaped($0.text) } + (isSeen ? ["refused by the schema"] : [])
            text += row.change?.text(found) ?? TextChange(old: "an image", new: "another").text(found)
        }
        // These need catalogues that are built by other tests.
        for reason in CatalogueReason.allCases where reason != .moreFindings {
            #expect(codes.contains("catalogue.\(reason.rawValue)"), "\(reason)")
        }
        try GoldenFile.check(text, "Tests/Catalogue/Golden/zoo.txt")
    }

    @Test(
        "finds nothing where a text has just the length that is allowed, in each unit",
        arguments: CatalogueRows.limits
    )
    func lengths(field: String, limit: Int) throws {
        let folder = try GoodCatalogue.folder()
        let plain = String(repeating: "a", count: limit - 2)
        for text in [plain + "bc", plain + "e\u{301}", plain + "\u{1D49C}"] {
            let source = GoodCatalogue.text.replacing("\"\(field)\"", with: "\"\(text)\"")
            #expect(GoodCatalogue.check(source, in: folder).findings == [], "\(text)")
        }
    }

    @Test("takes the first and the last height that Apple takes", arguments: [160, 2160])
    func heights(height: UInt32) throws {
        var image = GoodCatalogue.hero
        image.height = height
        let checked = GoodCatalogue.check(
            GoodCatalogue.text, in: try GoodCatalogue.folder(hero: image.bytes()))
        #expect(checked.findings == [])
    }

    @Test("reads a text with a byte order mark, and counts no column for it")
    func byteOrderMark() throws {
        let folder = try GoodCatalogue.folder()
        let bad = GoodCatalogue.text.replacing("\"format\": 1", with: "\"format\": 2")
        let plain = GoodCatalogue.check(bad, in: folder).findings
        #expect(plain.map(\.line) == [2])
        #expect(GoodCatalogue.check("\u{FEFF}" + bad, in: folder).findings == plain)
    }

    @Test("compares names only for the findings that are listed")
    func manyUnknownNames() throws {
        let products = (0..<500).map { "\"p\($0)\": {}" }
        let defaults = (0..<10_000).map { "\"default\($0)\": \"reminder\"" }
        let source = GoodCatalogue.text
            .replacing("\"annual\": {} }", with: products.joined(separator: ", ") + " }")
            .replacing("\"*\": \"reminder\", ", with: defaults.joined(separator: ", ") + ", ")
        let findings = GoodCatalogue.check(source, in: try GoodCatalogue.folder()).findings
        #expect(findings.count == CatalogueLimits.findingCount + 1)
        #expect(findings[0].code == "catalogue.unknown-name")
        #expect(findings[0].hint == "it is not in \"products\"", "\(findings[0].text)")
    }

    @Test("refuses a text that is too long or nested too deep before it is read")
    func sizes() throws {
        let folder = try GoodCatalogue.folder()
        let deep = String(repeating: "[", count: 17) + String(repeating: "]", count: 17)
        #expect(GoodCatalogue.check(deep, in: folder).findings.map(\.code) == ["json.too-deep"])
        let long = String(repeating: " ", count: CatalogueLimits.sourceByteCount + 1)
        #expect(GoodCatalogue.check(long, in: folder).findings.map(\.code) == ["json.too-large"])
        #expect(GoodCatalogue.check("[]", in: folder).findings.map(\.code) == ["catalogue.wrong-type"])
    }
}
