import AppStoreTraffic
import DataFileWriting
import FastCGI
import JSON
import RulesCompiler
import Support
import Testing
import Vocabulary

@testable import Endpoints

/// Decisions whose records have something in common.
@Suite("Repeated decisions")
struct RepeatedDecisionsTests {
    /// Rules that serve each of the products `p0`, `p1`… by a rule of its own.
    private static func rules(environment: String, count: Int, messageIdentifier: String) -> String {
        let rules = (0..<count).map { number in
            #"{"id": "\#(environment)\#(number)", "when": {"fact": "productId", "eq": "p\#(number)"}, "serve": {"message": "m"}}"#
        }
        return """
            {"format": 1, "app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "\(environment)",
             "messages": {"m": {"kind": "text", "ids": {"en-US": "\(messageIdentifier)"}}},
             "rules": [\(rules.joined(separator: ", "))]}
            """
    }

    @Test("have records that name their own rules, also when they are many and of two rules files")
    func records() throws {
        // More than there are places, so that some take the place of others.
        let count = RepeatedDecisions.placeCount * 5 / 4
        let identifiers: [Environment: String] = [
            .sandbox: "551ee7c0-c097-418e-9dd5-2a98533a7390",
            .production: "80135e2b-ae15-4ec4-8c5c-9ecc8045c0dc",
        ]
        func rules(_ environment: Environment) -> String {
            let identifier = identifiers[environment] ?? ""
            return Self.rules(
                environment: environment.rawValue,
                count: count,
                messageIdentifier: identifier
            )
        }
        let production = try RulesCompiler.compile(
            Array(rules(.production).utf8),
            stamp: DataFileStamp(generation: 1, builtAtMilliseconds: 0, writerVersion: "test")
        )
        let (world, folder) = try DecisionRecordsTests.world(
            rules: rules(.sandbox),
            files: [("production.rules", production)]
        )
        // Each decision twice in a row, and all once more after others may have taken their places.
        var asked: [(environment: Environment, number: Int)] = []
        for environment in [Environment.sandbox, .production, .sandbox] {
            for number in 0..<count { asked += [(environment, number), (environment, number)] }
        }
        for (environment, number) in asked {
            let body = try world.body {
                $0.productId = "p\(number)"
                $0.environment = environment.rawValue
            }
            #expect(world.answer(world.parameters(), body).status == 200)
        }
        world.handler.flushRecords()
        let records = try DecisionRecordsTests.records(folder)
        #expect(records.count == asked.count)
        for ((environment, number), record) in zip(asked, records) {
            #expect(record.root.member("environment")?.string == environment.rawValue)
            #expect(record.root.member("product")?.string == "p\(number)")
            #expect(record.root.member("rule")?.string == "\(environment.rawValue)\(number)")
            #expect(record.root.member("reason")?.string == "TARGETING_MATCH")
            let served = record.root.member("served")
            #expect(served?.member("messageIdentifier")?.string == identifiers[environment])
            #expect(served?.member("message")?.string == "m" && served?.member("locale")?.string == "en-US")
            #expect(served?.member("kind")?.string == "message")
            #expect(record.root.member("generation")?.int64 == 1)
        }
    }
}
