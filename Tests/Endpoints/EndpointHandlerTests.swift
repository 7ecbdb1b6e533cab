import AppStoreSimulator
import FastCGI
@testable import Pool
import Support
import System
import Testing

@Suite("An endpoint handler")
struct EndpointHandlerTests {
    @Test("answers a signed request with what the rules serve, and counts it")
    func served() throws {
        let world = try EndpointWorld()
        let response = try world.answer(world.parameters(), world.body())
        #expect(response.status == 200)
        #expect(response.contentType.description == "application/json")
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"message":{"messageIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390"}}"#
        )
        #expect(world.counters.value(.answersDecided) == 1)
        #expect(world.counters.value(.requests) == 1)
    }

    @Test(
        "refuses wrong parameters",
        arguments: [
            (["REQUEST_METHOD": "GET"], 405, "method-not-allowed"),
            (["REQUEST_METHOD": "post"], 405, "method-not-allowed"),
            (["REQUEST_METHOD": nil], 405, "method-not-allowed"),
            (["CONTENT_TYPE": "text/plain"], 415, "media-type-unsupported"),
            (["HTTP_CONTENT_ENCODING": "gzip"], 415, "media-type-unsupported"),
            (["HTTP_CONTENT_ENCODING": "identity"], 415, "media-type-unsupported"),
            (["RETENTION_ENDPOINT": nil], 404, "endpoint-unknown"),
            (["RETENTION_ENDPOINT": "notifications"], 404, "endpoint-unknown"),
        ] as [([String: String?], Int, String)]
    )
    func parameters(changes: [String: String?], status: Int, code: String) throws {
        let world = try EndpointWorld()
        let response = try world.answer(world.parameters(changes), world.body())
        #expect(response.status == status)
        #expect(response.contentType.description == "application/problem+json")
        #expect(response.fields == (status == 405 ? [.allow("POST")] : []))
        #expect(String(decoding: response.body, as: UTF8.self).contains("\"code\":\"\(code)\""))
        #expect(world.counters.codes.first { $0.code == code }?.count == 1)
    }

    @Test(
        "refuses a body that is too large, incomplete or late",
        arguments: [
            (BodyReading.tooLarge, 413, "body-too-large"), (.incomplete, 400, "body-incomplete"),
            (.aborted, 400, "body-incomplete"), (.late, 503, "deadline-passed"),
        ]
    )
    func bodies(reading: BodyReading, status: Int, code: String) throws {
        let world = try EndpointWorld()
        let response = world.answer(world.parameters(), [], reading: reading)
        #expect(response.status == status)
        #expect(String(decoding: response.body, as: UTF8.self).contains(code))
    }

    @Test("refuses a body of more than messageBodyBytes")
    func longBody() throws {
        let world = try EndpointWorld(settings: #", "limits": {"messageBodyBytes": 1024}"#)
        let body = try world.body()
        #expect(body.count > 1024)
        let response = world.answer(world.parameters(), body)
        #expect(response.status == 413)
        #expect(String(decoding: response.body, as: UTF8.self).contains("body-too-large"))
    }

    @Test("refuses a request that has waited past the deadline, and ignores impossible times")
    func deadline() throws {
        let world = try EndpointWorld(settings: #", "deadlineMilliseconds": 30000"#)
        // The ages are so far from every limit that a slow machine does not change the result.
        let rows: [(Int64, Int)] = [
            (0, 200), (10_000, 200), (31_000, 503), (40_000, 503), (90_000, 200), (-60_000, 200),
        ]
        let body = try world.body()
        for (age, status) in rows {
            let sent = Clock.wallMilliseconds() - age
            let fraction = String(1000 + sent % 1000).dropFirst()
            let parameters = world.parameters([
                "RETENTION_MSEC": "\(sent / 1000).\(fraction)", "RETENTION_ELAPSED": "0.000",
            ])
            let response = world.answer(parameters, body)
            #expect(response.status == status, "age \(age)")
        }
        #expect(world.counters.value(.deadlinesPassed) == 2)
        #expect(world.counters.value(.receivedTimesIgnored) == 2)
    }

    @Test("answers 503 or an empty object, as configured, when the rules serve nothing")
    func noAnswer() throws {
        let documented = try EndpointWorld()
        let status = try documented.answer(
            documented.parameters(),
            documented.body { $0.productId = "quiet" }
        )
        #expect(status.status == 503)
        #expect(String(decoding: status.body, as: UTF8.self).contains("no-answer"))
        #expect(documented.counters.value(.answersNone) == 1)
        #expect(documented.counters.value(.answersFailed) == 0)
        let empty = try EndpointWorld(settings: #", "noAnswer": "empty""#)
        let object = try empty.answer(empty.parameters(), empty.body { $0.productId = "quiet" })
        #expect(object.status == 200)
        #expect(object.body == Array("{}".utf8))
    }

    @Test("answers a ping while it has rules, and only to GET")
    func ping() throws {
        let world = try EndpointWorld()
        let changes = ["RETENTION_ENDPOINT": "ping", "REQUEST_METHOD": "GET"]
        #expect(world.answer(world.parameters(changes), []).body == Array("pong".utf8))
        #expect(world.answer(world.parameters(["RETENTION_ENDPOINT": "ping"]), []).status == 405)
        let empty = try EndpointWorld(rules: nil)
        #expect(empty.answer(empty.parameters(changes), []).status == 503)
    }

    @Test("logs where the time of a slow request went")
    func slow() throws {
        let world = try EndpointWorld(settings: #", "deadlineMilliseconds": 60000"#, slowMilliseconds: 20)
        #expect(
            try world.answer(world.parameters(), world.body()) { $0.delayMilliseconds = 30 }.status == 200
        )
        #expect(world.counters.value(.requestsSlow) == 1)
        let line = try #require(world.log.lines.first { $0.contains("code=request-slow") })
        let words = line.split(separator: " ")
        let verify = try #require(words.firstIndex(of: "us,").flatMap { Int(words[$0 - 1]) })
        let total = try #require(words.lastIndex(of: "us").flatMap { Int(words[$0 - 1]) })
        #expect(verify >= 30_000 && total >= verify, "\(line)")
    }
}
