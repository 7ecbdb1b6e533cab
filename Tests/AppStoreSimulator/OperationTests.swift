import AppStoreServerAPI
import AppStoreSimulator
import JSON
import Testing
import Vocabulary

/// One request after a preparation, and what it must come to.
struct OperationRow: CustomTestStringConvertible {
    let operation: AppStoreServerOperation
    let expected: String
    let prepare: @Sendable (inout Team) throws -> Void
    let method: String
    let path: String
    let body: TestBody
    let environment: Environment
    let bundleId: String

    init(
        _ operation: AppStoreServerOperation,
        _ expected: String,
        _ method: String,
        _ path: String,
        _ body: TestBody = .none,
        in environment: Environment = .sandbox,
        bundleId: String = Team.bundleId,
        after prepare: @escaping @Sendable (inout Team) throws -> Void = { _ in }
    ) {
        self.operation = operation
        self.expected = expected
        self.prepare = prepare
        self.method = method
        self.path = path
        self.body = body
        self.environment = environment
        self.bundleId = bundleId
    }

    var testDescription: String { "\(operation.rawValue) \(expected) \(method) \(path.prefix(60))" }
}

extension TestBody: @unchecked Sendable {}

@Suite("Each operation of the simulator")
struct OperationTests {
    @Test(
        "answers with its status and Apple's code",
        arguments: ImageRows.all + MessageRows.all + StateRows.all
    )
    func row(row: OperationRow) throws {
        var team = try Team {
            $0.transactions = ["20": .renewal, "21": .family, "22": .app, "23": .unknown, "24": .original]
        }
        try row.prepare(&team)
        let answer = try team.send(
            row.method, row.path, row.body, in: row.environment, bundleId: row.bundleId)
        #expect(answer.outcome == row.expected, "\(String(decoding: answer.body, as: UTF8.self))")
        if row.expected.count > 3 {
            let root = try #require(answer.root)
            #expect(root.members.map(\.name) == ["errorCode", "errorMessage"])
            #expect(root.member("errorMessage")?.string?.isEmpty == false)
        }
    }

    /// What Apple's pages name for each operation (the tables of its 14 pages), beside 401, 429 and 500.
    private static let documented: [AppStoreServerOperation: [Int64]] = [
        .uploadImage: [4_000_161, 4_030_014, 4_090_000], .deleteImage: [4_030_019, 4_040_014],
        .listImages: [],
        .uploadMessage: [
            4_000_162, 4_000_163, 4_000_175, 4_000_216, 4_000_218, 4_000_219, 4_000_224, 4_030_016, 4_090_001,
        ],
        .deleteMessage: [4_040_015], .listMessages: [],
        .setDefault: [4_000_023, 4_000_164, 4_030_017, 4_030_018, 4_040_015],
        .getDefault: [4_000_023, 4_000_164, 4_040_020], .deleteDefault: [4_000_023, 4_000_164],
        .setURL: [4_000_215, 4_030_026], .getURL: [4_040_021], .deleteURL: [],
        .startTest: [4_000_211, 4_000_213, 4_000_006, 4_000_048, 4_000_185, 4_000_187],
        .getTestResult: [4_000_212, 4_040_018],
    ]

    @Test(
        "has a row for each code that its page names",
        arguments: AppStoreServerOperation.retentionMessaging
    )
    func complete(operation: AppStoreServerOperation) throws {
        let rows = (ImageRows.all + MessageRows.all + StateRows.all).filter { $0.operation == operation }
        let found = Set(rows.compactMap { $0.expected.split(separator: " ").last.flatMap { Int64($0) } })
        #expect(found.contains(200))
        let wanted = try #require(Self.documented[operation])
        for code in wanted { #expect(found.contains(code), "\(code)") }
        for code in wanted { #expect(AppStoreServerAPIErrorCode(rawValue: code) != nil) }
        if operation.tellsMissingAccess { #expect(rows.contains { $0.expected == "404" }) }
    }

    @Test("knows every code of the API", arguments: AppStoreServerAPIErrorCode.allCases)
    func codes(code: AppStoreServerAPIErrorCode) {
        let everywhere: [AppStoreServerAPIErrorCode] = [
            .rateLimitExceeded, .internalError, .internalErrorRetryable,
        ]
        let documented = (Array(Self.documented.values) + Array(RecoveryRows.documented.values)).contains {
            $0.contains(code.rawValue)
        }
        // Two are in the tables of Apple's libraries and on no page.
        let unpaged: [AppStoreServerAPIErrorCode] = [
            .originalTransactionIdNotFound, .originalTransactionIdNotFoundRetryable,
        ]
        #expect(documented || everywhere.contains(code) || unpaged.contains(code))
    }

    @Test(
        "does not exist with another method or path, or in Production where only Sandbox has it",
        arguments: [
            ("POST", "/image/list"), ("GET", "/image/\(Sample.image)"),
            ("PATCH", "/message/\(Sample.message)"),
            ("GET", "/message"), ("GET", "/message/list/"), ("GET", "//message/list"), ("GET", ""),
            ("PUT", "/default/a"),
            ("PUT", "/default/a/b/c"), ("GET", "/realtime"), ("GET", "/performanceTest"), ("GET", "/%zz"),
            ("GET", "/message%2flist"), ("get", "/message/list"), ("POST", "/performanceTest?x=%ff"),
        ]
    )
    func unknown(method: String, path: String) throws {
        var team = try Team()
        let answer = try team.send(method, path)
        #expect(answer.outcome == "404" && answer.body.isEmpty)
        #expect(
            try team.send("POST", "/performanceTest", .json(Sample.test), in: .production).outcome == "404"
        )
        let result = "/performanceTest/result/\(Sample.other)"
        #expect(try team.send("GET", result, in: .production).outcome == "404")
    }
}
