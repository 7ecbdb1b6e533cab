import AppStoreSimulator
import Support
import System
import Testing

/// Identifiers and bodies that the tests use.
enum Sample {
    static let image = "11111111-1111-4111-8111-111111111111"
    static let bullet = "22222222-2222-4222-8222-222222222222"
    static let message = "33333333-3333-4333-8333-333333333333"
    static let other = "44444444-4444-4444-8444-444444444444"
    static let url = #"{"realtimeURL":"https://localhost:8443/retention-message"}"#
    static let test = #"{"originalTransactionId":"2000000001"}"#

    static func identifier(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static func reference(_ identifier: String) -> String { #"{"messageIdentifier":"\#(identifier)"}"# }

    /// The body of Upload Message.
    static func text(_ header: String = "Stay", _ body: String = "Please", more: String = "") -> String {
        #"{"header":"\#(header)","body":"\#(body)"\#(more)}"#
    }

    static func picture(_ identifier: String, alt: String = "A hero") -> String {
        #","image":{"imageIdentifier":"\#(identifier)","altText":"\#(alt)"}"#
    }

    static func bullets(_ identifiers: [String], text: String = "One", alt: String = "A tick") -> String {
        let points = identifiers.map {
            #"{"text":"\#(text)","imageIdentifier":"\#($0)","altText":"\#(alt)"}"#
        }
        return #","bulletPoints":[\#(points.joined(separator: ","))]"#
    }
}

/// PNG files of any size, whose pixels nobody decodes.
enum HeadedPNG {
    static let full = make(width: 3840, height: 160)
    static let bullet = make(width: 1024, height: 1024)

    static func make(width: UInt32, height: UInt32, colour: UInt8 = 2) -> [UInt8] {
        var png = TestPNG(width, height)
        png.colorType = colour
        return TestPNG.signature + TestPNG.chunk("IHDR", png.header) + TestPNG.chunk("IDAT", [1, 2, 3])
            + TestPNG.chunk("IEND", [])
    }
}

extension Team {
    /// Uploads one image of each size and a message with both.
    mutating func upload(in environment: Environment) throws {
        #expect(
            try send("PUT", "/image/\(Sample.image)", .png(HeadedPNG.full), in: environment).status == 200)
        let target = "/image/\(Sample.bullet)?imageSize=BULLET_POINT"
        #expect(try send("PUT", target, .png(HeadedPNG.bullet), in: environment).status == 200)
        let body = Sample.text(more: Sample.picture(Sample.image) + Sample.bullets([Sample.bullet]))
        #expect(try send("PUT", "/message/\(Sample.message)", .json(body), in: environment).status == 200)
    }

    /// Starts a performance test and lets it pass.
    mutating func passTest() throws {
        #expect(try send("PUT", "/realtime/url", .json(Sample.url)).status == 200)
        let answer = try send("POST", "/performanceTest", .json(Sample.test))
        let test = try #require(answer.startedTest)
        simulator.finishTest(test.requestId, bundleId: Team.bundleId, result: Self.passed)
    }

    static let passed = PerformanceTestResultResponse(
        result: .pass, config: PerformanceTestConfiguration(), target: "https://localhost/", successRate: 100)
}
