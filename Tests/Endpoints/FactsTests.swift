import AppStoreSimulator
import Facts
import FastCGI
import JSON
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("Facts of subscribers")
struct FactsTests {
    private static let found = UUID(high: 1, low: 1)
    private static let others = UUID(high: 2, low: 2)

    /// Rules that serve one message to subscribers who have paid three times, and another message to all others.
    private static func rules() -> [UInt8] {
        var model = RulesModel(
            appAppleId: SignedBody.appAppleId, bundleId: "com.example.app", environment: .sandbox)
        model.facts = [.init(name: "storefront", kind: .string), .init(name: "paidPeriods", kind: .integer)]
        model.lastLocale = "en-US"
        model.messages = [
            .init(name: "found", kind: .text, identifiers: [.init(locale: "en-US", identifier: found)]),
            .init(name: "others", kind: .text, identifiers: [.init(locale: "en-US", identifier: others)]),
        ]
        var loyal = RulesModel.Rule(id: "loyal", outcome: .message(0))
        loyal.condition = .all([
            .greaterOrEqual(.declared(1), .integer(3)), .equal(.declared(0), .string("DEU")),
            .equal(.factsFound, .boolean(true)), .less(.factsAgeSeconds, .integer(3600)),
        ])
        model.rules = [loyal]
        model.defaultOutcome = .message(1)
        return model.pushed
    }

    private static let stamp = DataFileStamp(
        builtAtMilliseconds: Clock.wallMilliseconds() - 60_000, writerVersion: "test")

    /// A facts file with one row, for the subscriber with this key.
    private static func facts(_ key: UInt64, paidPeriods: Int64) throws -> [UInt8] {
        var builder = FactsBuilder(columns: [
            .init(name: "paidPeriods", kind: .integer), .init(name: "storefront", kind: .string),
        ])
        builder.set(paidPeriods, column: 0)
        try builder.set(Array("DEU".utf8).span, column: 1)
        builder.commit(key: key, line: 2)
        var output = MemoryOutput()
        let making = FactsFileIdentity(appAppleId: SignedBody.appAppleId, environment: .sandbox, stamp: stamp)
        try builder.write(making, to: &output)
        return output.bytes
    }

    @Test(
        "decide: rows with and without the value, another subscriber's row, an identifier that is not a number",
        arguments: [
            (2_000_000_001, 3, "2000000001", true), (2_000_000_001, 2, "2000000001", false),
            (2_000_000_002, 3, "2000000001", false), (1, 3, "one", false), (1, 3, "01", false),
        ] as [(UInt64, Int64, String, Bool)]
    )
    func decision(key: UInt64, paidPeriods: Int64, subscriber: String, isFound: Bool) throws {
        let facts = try Self.facts(key, paidPeriods: paidPeriods)
        let world = try EndpointWorld(
            rules: nil, files: [("app.rules.json", Self.rules()), ("app.facts", facts)])
        let body = try world.body { $0.originalTransactionId = subscriber }
        let response = world.answer(world.parameters(), body)
        let expected = isFound ? Self.found : Self.others
        #expect(String(decoding: response.body, as: UTF8.self).contains("\(expected)"))
    }

    @Test("are on the status page, beside the rules")
    func status() throws {
        let facts = try Self.facts(7, paidPeriods: 1)
        let world = try EndpointWorld(
            rules: nil, files: [("app.rules.json", Self.rules()), ("app.facts", facts)])
        let parameters = ["RETENTION_ENDPOINT": "status", "REQUEST_METHOD": "GET", "QUERY_STRING": "json"]
        let response = world.answer(world.parameters(parameters), [])
        let limits = JSONLimits(byteCount: 1 << 20, depth: 8)
        let root = try JSONDocument(parsing: response.body.span, limits: limits).root
        #expect(root.member("rules")?.count == 1 && root.member("facts")?.count == 1)
        let block = try #require(root.member("facts")?.element(at: 0))
        #expect(block.member("name")?.string == "app.facts" && block.member("rows")?.int64 == 1)
        #expect(block.member("facts")?.int64 == 2 && block.member("revision")?.string == "")
        #expect(try #require(block.member("age")?.int64) >= 60)
        let text = world.answer(
            world.parameters(["RETENTION_ENDPOINT": "status", "REQUEST_METHOD": "GET"]), [])
        #expect(String(decoding: text.body, as: UTF8.self).contains("app.facts"))
    }
}
