import AppStoreServerAPI
import AppStoreSimulator
import JSON
import Support
import System
import Testing

/// One line of `operations.txt`: a request after a preparation, and what it must come to.
struct OperationRow: CustomTestStringConvertible {
    let expected: String
    let request: String
    let body: String
    let before: [String]

    init?(_ line: String) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0).trimmed
        }
        guard !line.hasPrefix("#"), fields.count >= 3 else { return nil }
        expected = fields[0]
        request = fields[1]
        body = fields[2]
        before = fields.count > 3 ? fields[3].split(separator: ";").map { String($0).trimmed } : []
    }

    static func all() throws -> [OperationRow] {
        let path = "\(SourceFile.root)/Tests/AppStoreSimulator/operations.txt"
        let text = String(decoding: try SourceFile.read(path), as: UTF8.self)
        return text.split(separator: "\n").compactMap { OperationRow(String($0)) }
    }

    var testDescription: String { "\(expected) \(request.prefix(60)) \(body.prefix(40))" }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Replaces `{image}`, `{now-5}` and `<x*67>`.
    fileprivate var expanded: String {
        var text = self
        for (name, value) in [
            ("{image}", Sample.image), ("{bullet}", Sample.bullet), ("{message}", Sample.message),
            ("{other}", Sample.other),
        ] {
            text = text.replacing(name, with: value)
        }
        text = text.replacing(/\{now-([0-9]+)\}/) { "\(Team.now - (Int64($0.output.1) ?? 0))" }
        return text.replacing(/<(.+?)\*([0-9]+)>/) {
            String(repeating: String($0.output.1), count: Int($0.output.2) ?? 0)
        }
    }
}

extension TestBody {
    /// Reads the body of a row.
    fileprivate init(_ text: String) {
        if text.isEmpty {
            self = .none
        } else if let type = text.prefixMatch(of: #/([a-z]+/[^:]+): /#) {
            let rest = TestBody(String(text[type.range.upperBound...]))
            self = .raw(String(type.output.1), text.hasSuffix("too long") ? nil : rest.bytes)
        } else if text.hasPrefix("png ") {
            let numbers = text.dropFirst(4).split { "x ".contains($0) }.compactMap { UInt32($0) }
            self = .png(
                HeadedPNG.make(
                    width: numbers[0], height: numbers[1], colour: numbers.count > 2 ? UInt8(numbers[2]) : 2))
        } else {
            self = .json(text.expanded)
        }
    }
}

extension Team {
    /// Sends the request of a row.
    fileprivate mutating func send(_ request: String, body: String) throws -> SimulatorAnswer {
        var words = request.split(separator: " ").map { String($0) }
        var (environment, bundleId) = (Environment.sandbox, Team.bundleId)
        switch words[0] {
        case "production": environment = .production
        case "closed": bundleId = Team.closedBundleId
        case "other": bundleId = "com.example.other"
        default: words.insert("", at: 0)
        }
        let path = words[2].expanded
        return try send(
            words[1], path, TestBody(body), in: environment, bundleId: bundleId,
            prefix: path.hasPrefix("/v") ? "/inApps" : "/inApps/v1/messaging")
    }

    /// Does one thing of a preparation.
    fileprivate mutating func prepare(_ text: String) throws {
        let isProduction = text.hasPrefix("production ")
        let environment = isProduction ? Environment.production : .sandbox
        let words = text.split(separator: " ").dropFirst(isProduction ? 1 : 0).map { String($0) }
        switch words[0] {
        case "upload": try upload(in: environment)
        case "pass": try passTest()
        case "live": live(in: environment)
        case "notifications": setNotificationURL(in: environment)
        case "approve", "reject":
            let list = words.dropFirst().map { "\"\($0.expanded)\"" }.joined(separator: ",")
            let chosen = list.isEmpty ? "" : #","identifiers":[\#(list)]"#
            let body = #"{"bundleId":"\#(Team.bundleId)","decision":"\#(words[0])"\#(chosen)}"#
            #expect(administer("POST", "review", .json(body), in: environment).status == 200)
        case "fill":
            for number in 0..<2000 {
                let target = "/\(words[1])/\(Sample.identifier(number))"
                let body = words[1] == "image" ? TestBody.png(HeadedPNG.full) : .json(Sample.text())
                #expect(try send("PUT", target, body, in: environment).status == 200)
            }
        default:
            let body = words.dropFirst(2).joined(separator: " ")
            #expect(try send("\(words[0]) \(words[1])", body: body).status == 200, "\(text)")
        }
    }
}

@Suite("Each operation of the simulator")
struct OperationTests {
    @Test("answers with its status and Apple's code")
    func rows() throws {
        let rows = try OperationRow.all()
        #expect(rows.count > 180)
        for row in rows {
            var team = try Team.signing {
                $0.transactions = [
                    "20": .renewal, "21": .family, "22": .app, "23": .unknown, "24": .original,
                ]
                $0.refusals = [
                    "31": .invalidAppIdentifier, "32": .accountNotFound, "33": .accountNotFoundRetryable,
                    "34": .appNotFound, "35": .appNotFoundRetryable,
                ]
            }
            for text in row.before { try team.prepare(text) }
            let answer = try team.send(row.request, body: row.body)
            #expect(
                answer.outcome == row.expected,
                "\(row.testDescription): \(String(decoding: answer.body, as: UTF8.self))")
            if row.expected.count > 3 {
                let root = try #require(answer.root)
                #expect(root.members.map(\.name) == ["errorCode", "errorMessage"])
                #expect(root.member("errorMessage")?.string?.isEmpty == false)
            }
        }
    }

    @Test(
        "does not exist with another method or path, or in Production where only Sandbox has it",
        arguments: [
            ("POST", "/image/list"), ("GET", "/image/\(Sample.image)"),
            ("PATCH", "/message/\(Sample.message)"), ("GET", "/message"), ("GET", "/message/list/"),
            ("GET", "//message/list"), ("GET", ""), ("PUT", "/default/a"), ("PUT", "/default/a/b/c"),
            ("GET", "/performanceTest"), ("GET", "/%zz"), ("GET", "/message%2flist"),
            ("get", "/message/list"),
        ]
    )
    func unknown(method: String, path: String) throws {
        var team = try Team()
        let answer = try team.send(method, path)
        #expect(answer.outcome == "404" && answer.body.isEmpty)
        #expect(
            try team.send("POST", "/performanceTest", .json(Sample.test), in: .production).outcome == "404"
        )
    }
}
