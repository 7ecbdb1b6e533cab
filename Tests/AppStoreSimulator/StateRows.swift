import AppStoreServerAPI
import AppStoreSimulator
import System
import Testing

/// The rows of the operations on defaults, the URL and performance tests.
enum StateRows {
    private static let place = "/default/pro_monthly/en-US"
    private static let message = TestBody.json(Sample.reference(Sample.message))

    static let all = defaults + otherPlaces + urls + tests

    private static let defaults: [OperationRow] = [
        OperationRow(.setDefault, "200", "PUT", place, message) { try $0.upload(in: .sandbox) },
        OperationRow(.setDefault, "200", "PUT", place, message) { team in
            try team.upload(in: .sandbox)
            #expect(try team.send("PUT", place, message).status == 200)
        },
        OperationRow(.setDefault, "404 4040015", "PUT", place, message),
        OperationRow(.setDefault, "403 4030017", "PUT", place, message, in: .production) {
            try $0.upload(in: .production)
        },
        OperationRow(.setDefault, "403 4030017", "PUT", place, message, in: .production) { team in
            try team.upload(in: .production)
            #expect(
                team.administer(
                    "POST", "review", .json(#"{"bundleId":"com.example.app","decision":"reject"}"#)
                ).status == 200
            )
        },
        OperationRow(.setDefault, "403 4030018", "PUT", place, message, in: .production) {
            try Self.approve(&$0, [Sample.message])
        },
        OperationRow(.setDefault, "403 4030018", "PUT", place, message, in: .production) {
            try Self.approve(&$0, [Sample.message, Sample.image])
        },
        OperationRow(.setDefault, "200", "PUT", place, message, in: .production) {
            try Self.approve(&$0, [Sample.message, Sample.image, Sample.bullet])
        },
        OperationRow(.setDefault, "400 4000000", "PUT", place, .json("{}")),
        OperationRow(.setDefault, "400 4000000", "PUT", place, .json(#"{"messageIdentifier":"hello"}"#)),
        OperationRow(.setDefault, "400 4000000", "PUT", place, .none),
    ]

    private static func approve(_ team: inout Team, _ identifiers: [String]) throws {
        try team.upload(in: .production)
        let list = identifiers.map { "\"\($0)\"" }.joined(separator: ",")
        let body = #"{"bundleId":"com.example.app","decision":"approve","identifiers":[\#(list)]}"#
        #expect(team.administer("POST", "review", .json(body)).status == 200)
    }

    private static let otherPlaces: [OperationRow] =
        [
            ("/default/pro%20monthly/en-US", "400 4000023"), ("/default//en-US", "400 4000023"),
            ("/default/pro%2Fmonthly/en-US", "400 4000023"),
            ("/default/\(String(repeating: "p", count: 101))/en-US", "400 4000023"),
            ("/default/pro_monthly/en_US", "400 4000164"), ("/default/pro_monthly/en-us", "400 4000164"),
            ("/default/pro_monthly/es-419", "400 4000164"), ("/default/pro_monthly/", "400 4000164"),
        ].flatMap { path, expected in
            [
                OperationRow(.setDefault, expected, "PUT", path, message) { try $0.upload(in: .sandbox) },
                OperationRow(.getDefault, expected, "GET", path),
                OperationRow(.deleteDefault, expected, "DELETE", path),
            ]
        } + [
            OperationRow(.getDefault, "404 4040020", "GET", place),
            OperationRow(.getDefault, "200", "GET", place) { try Self.setDefault(&$0) },
            OperationRow(.getDefault, "404 4040020", "GET", place, in: .production) {
                try Self.setDefault(&$0)
            },
            OperationRow(.getDefault, "404 4040020", "GET", place) { team in
                try Self.setDefault(&team)
                #expect(try team.send("DELETE", "/message/\(Sample.message)").status == 200)
            },
            OperationRow(.deleteDefault, "200", "DELETE", place),
            OperationRow(.deleteDefault, "200", "DELETE", place) { try Self.setDefault(&$0) },
        ]

    private static func setDefault(_ team: inout Team) throws {
        try team.upload(in: .sandbox)
        #expect(try team.send("PUT", place, message).status == 200)
    }

    private static func url(_ text: String, _ expected: String) -> OperationRow {
        OperationRow(.setURL, expected, "PUT", "/realtime/url", .json(#"{"realtimeURL":"\#(text)"}"#))
    }

    private static let urls: [OperationRow] = [
        url("https://example.com/retention-message", "200"), url("https://[::1]:8443/", "200"),
        url("https://a", "200"),
        url("https://a/" + String(repeating: "b", count: 246), "200"),
        url("https://a/" + String(repeating: "b", count: 247), "400 4000215"), url("", "400 4000215"),
        url("http://example.com/", "400 4000215"), url("https://", "400 4000215"),
        url("https:///x", "400 4000215"),
        url("https://user@example.com/", "400 4000215"), url("https://example.com:99999/", "400 4000215"),
        url("https://exa mple.com/", "400 4000215"), url("https://ex\u{E4}mple.com/", "400 4000215"),
        url("https://localhost\\\\@example.com/", "400 4000215"), url("https://[::1", "400 4000215"),
        url("https://[localhost]/", "400 4000215"),
        OperationRow(.setURL, "400 4000215", "PUT", "/realtime/url", .json(#"{"realtimeURL":1}"#)),
        OperationRow(.setURL, "400 4000000", "PUT", "/realtime/url", .json("[]")),
        OperationRow(.setURL, "403 4030026", "PUT", "/realtime/url", .json(Sample.url), in: .production),
        OperationRow(.setURL, "200", "PUT", "/realtime/url", .json(Sample.url), in: .production) {
            try $0.passTest()
        },
        OperationRow(
            .setURL, "404", "PUT", "/realtime/url", .json(Sample.url), bundleId: Team.closedBundleId),
        OperationRow(.getURL, "404 4040021", "GET", "/realtime/url"),
        OperationRow(.getURL, "200", "GET", "/realtime/url") {
            _ = try $0.send("PUT", "/realtime/url", .json(Sample.url))
        },
        OperationRow(.deleteURL, "200", "DELETE", "/realtime/url"),
        OperationRow(.deleteURL, "404", "DELETE", "/realtime/url", bundleId: Team.closedBundleId),
    ]

    private static func test(_ body: String, _ expected: String) -> OperationRow {
        OperationRow(.startTest, expected, "POST", "/performanceTest", .json(body)) {
            _ = try $0.send("PUT", "/realtime/url", .json(Sample.url))
        }
    }

    private static func transaction(_ text: String) -> String { #"{"originalTransactionId":"\#(text)"}"# }

    private static let tests: [OperationRow] = [
        test(Sample.test, "200"), test(transaction("24"), "200"), test("{}", "400 4000211"),
        test("", "400 4000211"),
        test(#"{"originalTransactionId":2000000001}"#, "400 4000211"), test(transaction(""), "400 4000006"),
        test(transaction("abc"), "400 4000006"), test(transaction("-1"), "400 4000006"),
        test(transaction("23"), "400 4000006"),
        test(transaction(String(repeating: "1", count: 21)), "400 4000006"),
        test(transaction("22"), "400 4000048"),
        test(transaction("21"), "400 4000185"), test(transaction("20"), "400 4000187"),
        OperationRow(.startTest, "400 4000211", "POST", "/performanceTest", .json(Sample.test)),
        OperationRow(
            .startTest, "404", "POST", "/performanceTest", .json(Sample.test), bundleId: Team.closedBundleId),
        OperationRow(.startTest, "400 4000213", "POST", "/performanceTest", .json(Sample.test)) { team in
            _ = try team.send("PUT", "/realtime/url", .json(Sample.url))
            #expect(try team.send("POST", "/performanceTest", .json(Sample.test)).status == 200)
        },
        OperationRow(.startTest, "200", "POST", "/performanceTest", .json(Sample.test)) { try $0.passTest() },
        OperationRow(.getTestResult, "400 4000212", "GET", "/performanceTest/result/latest"),
        OperationRow(.getTestResult, "404 4040018", "GET", "/performanceTest/result/\(Sample.other)"),
        // The first identifier that the seeded generator of the team gives.
        OperationRow(.getTestResult, "200", "GET", "/performanceTest/result/\(firstRequestId)") {
            try $0.passTest()
        },
    ]

    private static let firstRequestId: String = {
        guard var team = try? Team() else { return "" }
        _ = try? team.send("PUT", "/realtime/url", .json(Sample.url))
        return (try? team.send("POST", "/performanceTest", .json(Sample.test)))?.startedTest?.requestId ?? ""
    }()
}
