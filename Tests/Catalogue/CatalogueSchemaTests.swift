import AppStoreServerAPI
@testable import Catalogue
import JSON
import Rules
import Support
import System
import Testing

@Suite("The schema of catalogues")
struct CatalogueSchemaTests {
    private static let limits = JSONLimits(byteCount: 1 << 20, depth: 32)

    private static func schema() throws -> JSONValue {
        let text = try SourceFile.read(SourceFile.root + "/examples/catalogue.schema.json")
        return try JSONDocument(parsing: text.span, limits: limits).root
    }

    private static func definition(_ name: String) throws -> JSONValue {
        try #require(try schema().member("$defs")?.member(named: name), "\(name)")
    }

    private static func properties(_ object: JSONValue?) -> Set<String> {
        Set(object?.member("properties")?.members.map(\.name) ?? [])
    }

    static func errors(_ text: String) throws -> [String] {
        let document = try JSONDocument(parsing: text.utf8Span.span, limits: limits)
        return JSONSchema(try schema()).errors(in: document.root)
    }

    @Test("lists the keys that the reader takes, and no others")
    func keys() throws {
        let rows: [(JSONValue?, [String])] = [
            (try Self.schema(), CatalogueKeys.root), (try Self.definition("app"), CatalogueKeys.app),
            (try Self.definition("image"), CatalogueKeys.image),
            (try Self.definition("message"), CatalogueKeys.message),
            (try Self.definition("text"), CatalogueKeys.text),
            (try Self.definition("pin"), CatalogueKeys.pin),
            (try Self.definition("bulletPoint"), CatalogueKeys.bulletPoint),
            (try Self.definition("default").member("anyOf")?.element(at: 1), CatalogueKeys.defaultMessage),
            (
                try Self.schema().member("properties")?.member("products")?.member("additionalProperties"),
                CatalogueKeys.product
            ),
            (try Self.definition("pins"), CatalogueKeys.environments.map(\.rawValue)),
        ]
        for (object, keys) in rows { #expect(Self.properties(object) == Set(keys)) }
        let names = try Self.definition("message").member("propertyNames")?.member("anyOf")?.element(at: 0)
        #expect(Self.strings(names) == CatalogueKeys.message)
    }

    private static func strings(_ value: JSONValue?) -> [String] {
        value?.member("enum")?.elements.compactMap(\.string) ?? []
    }

    @Test("lists the words that the reader takes, and repeats the limits")
    func words() throws {
        let message = try Self.definition("message").member("properties")
        #expect(Self.strings(message?.member("kind")) == MessageKind.allCases.map(\.name))
        let positions = UploadMessageRequestBody.HeaderPosition.allCases.map(\.rawValue)
        #expect(Self.strings(message?.member("headerPosition")) == positions)
        let whenUnapproved = RulesModel.WhenUnapproved.allCases.map(\.rawValue)
        #expect(Self.strings(message?.member("whenUnapproved")) == whenUnapproved)
        let image = try Self.definition("image").member("properties")
        #expect(Self.strings(image?.member("size")) == ImageSize.allCases.map(\.rawValue))
        let bullets = try Self.definition("text").member("properties")?.member("bulletPoints")
        #expect(bullets?.member("maxItems")?.int64 == Int64(RetentionMessagingLimits.bulletPointCount))
        #expect(try Self.definition("revision").member("maximum")?.int64 == CatalogueLimits.revision)
        #expect(
            try Self.definition("url").member("maxLength")?.int64
                == Int64(RetentionMessagingLimits.realtimeURLLength)
        )
    }

    @Test("takes the good catalogue, the example, the vectors and a first catalogue")
    func good() throws {
        #expect(try Self.errors(GoodCatalogue.text) == [])
        for path in ["examples/catalogue/catalogue.json", "Tests/Catalogue/Vectors/catalogue.json"] {
            let text = String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
            #expect(try Self.errors(text) == [], "\(path)")
        }
        let first = Catalogue.new(
            appAppleId: 7, bundleId: "b", namespace: .init(high: 1, low: 2), locales: ["en-US"],
            products: ["p"], hasMessage: true)
        #expect(try Self.errors(String(decoding: first.serialized(), as: UTF8.self)) == [])
    }
}
