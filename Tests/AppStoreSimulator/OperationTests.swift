import AppStoreServerAPI
import AppStoreSimulator
import JSON
import System
import Testing

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
