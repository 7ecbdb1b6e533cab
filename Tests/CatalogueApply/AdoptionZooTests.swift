@testable import Catalogue
import JSON
import Support
import Testing
import Vocabulary

@Suite("The zoo of maps")
struct AdoptionZooTests {
    private static func folder() throws -> TemporaryDirectory {
        let world = try AdoptionWorld()
        try world.folder.write(try world.folder.read("hero.png"), to: "spare.png")
        return world.folder
    }

    private static func adopt(_ map: String, _ catalogue: String, _ folder: TemporaryDirectory) throws
        -> Result<CatalogueAdoption, CatalogueError>
    {
        let inventory = try GoodMap.inventory()
        return Result { () throws(CatalogueError) in
            try CatalogueAdoption(
                try AdoptionMap(reading: Array(map.utf8)), to: Array(catalogue.utf8),
                images: ImageFiles(folder: folder.path, decodesAll: false), inventory: inventory,
                knowledge: JournalKnowledge(), environment: .sandbox)
        }
    }

    private static func schemaErrors(_ text: String) throws -> [String] {
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let schema = try SourceFile.read(SourceFile.root + "/examples/catalogue-map.schema.json")
        let root = try JSONDocument(parsing: schema.span, limits: limits).root
        let document = try JSONDocument(parsing: text.utf8Span.span, limits: limits)
        return JSONSchema(root).errors(in: document.root)
    }

    @Test("has nothing wrong with the good one")
    func good() throws {
        let adoption = try Self.adopt(GoodMap.text, AdoptionWorld.blank(products: []), try Self.folder())
            .get()
        #expect(adoption.report.named.count == 4 && adoption.report.unnamed.count == 1)
        #expect(try Self.schemaErrors(GoodMap.text) == [])
        let bom = try Self.adopt(
            "\u{FEFF}" + GoodMap.text, "\u{FEFF}" + AdoptionWorld.blank(products: []), try Self.folder())
        #expect(try bom.get().text == adoption.text)
    }

    @Test("has each error with its code and its place in the map", arguments: AdoptionRows.all)
    func rows(row: AdoptionRow) throws {
        let (text, line, column) = try row.source()
        guard case .failure(let error) = try Self.adopt(text, row.catalogue, try Self.folder()) else {
            Issue.record("nothing found")
            return
        }
        let found = error.findings.first {
            $0.code == row.wholeCodes[0] && $0.line == line && $0.column == column
        }
        #expect(found != nil, "\(row.wholeCodes[0]) at \(line):\(column), not \(error.findings.map(\.text))")
        #expect(
            error.findings.map(\.code).sorted() == row.wholeCodes.sorted(), "\(error.findings.map(\.text))")
        guard !row.wholeCodes[0].hasPrefix("json.") else { return }
        let errors = try Self.schemaErrors(text)
        #expect(errors.isEmpty != row.isSeen, "\(errors)")
    }

    @Test("has more than 60 rows, and one for each reason that only maps have")
    func size() {
        #expect(AdoptionRows.all.count > 60)
        let codes = Set(AdoptionRows.all.map(\.code))
        #expect(codes.isSuperset(of: ["not-at-apple", "map-conflict", "duplicate-identifier"]))
    }

    @Test("has maps that are too long, too deep, or not an object")
    func sizes() throws {
        let deep = String(repeating: "[", count: 17) + String(repeating: "]", count: 17)
        let long = String(repeating: " ", count: CatalogueLimits.sourceByteCount + 1)
        let many = "{ \"identifier\": \"b0000000-0000-4000-8000-000000000001\" },"
        for (text, codes) in [
            (deep, ["json.too-deep"]), (long, ["json.too-large"]), ("[]", ["catalogue.wrong-type"]),
            ("", ["json.syntax"]), ("\u{0}", ["json.contains-nul"]),
        ] {
            let error = #expect(throws: CatalogueError.self) { try AdoptionMap(reading: Array(text.utf8)) }
            #expect(error?.findings.map(\.code) == codes, "\(error?.description ?? "")")
        }
        let crowded = GoodMap.text.replacing(
            "\"messages\": [",
            with: "\"messages\": [" + String(repeating: many, count: CatalogueLimits.nameCount))
        let error = #expect(throws: CatalogueError.self) { try AdoptionMap(reading: Array(crowded.utf8)) }
        #expect(error?.findings.contains { $0.code == "catalogue.too-many" } == true)
    }
}
