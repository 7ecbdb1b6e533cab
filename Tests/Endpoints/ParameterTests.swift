import Testing

@testable import Endpoints

@Suite("The parameters nginx passes on")
struct ParameterTests {
    static let now: Int64 = 1_780_315_200_000

    @Test(
        "have the time at which a request was received, or no usable time",
        arguments: [
            ("1780315200.000", "0.000", .known(milliseconds: now)),
            ("1780315200.000", "0.250", .known(milliseconds: now - 250)),
            ("1780315201.000", "0.000", .known(milliseconds: now + 1_000)),
            ("1780315201.001", "0.000", .unusable),
            ("1780315140.000", "0.000", .known(milliseconds: now - 60_000)),
            ("1780315139.999", "0.000", .unusable), ("1780315200.000", "60.001", .unusable),
            ("", "0.000", .unusable), ("1780315200.000", "", .unusable), ("1780315200", "0.000", .unusable),
            ("1780315200.00", "0.000", .unusable), ("1780315200.0000", "0.000", .unusable),
            ("-1780315200.000", "0.000", .unusable), ("+1780315200.00", "0.000", .unusable),
            ("17803152e0.000", "0.000", .unusable), ("1780315200,000", "0.000", .unusable),
            (" 1780315200.000", "0.000", .unusable), ("999999999999.999", "0.000", .unusable),
            ("9999999999999.999", "0.000", .unusable), ("99999999999999999999.999", "0.000", .unusable),
            (".000", "0.000", .unusable), ("1780315200.000", "-0.001", .unusable),
            ("0.000", "0.000", .unusable),
        ] as [(String, String, ReceivedTime)]
    )
    func receivedTimes(sent: String, elapsed: String, expected: ReceivedTime) {
        let first = Array(sent.utf8)
        let second = Array(elapsed.utf8)
        let found = ReceivedTime(sent: first.span, elapsed: second.span, nowMilliseconds: Self.now)
        #expect(found == expected)
    }

    @Test(
        "have a content type that must be JSON or empty",
        arguments: [
            ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true),
            ("application/json;charset=utf-8", true), (" application/json ", true), ("", true), ("  ", true),
            ("text/plain", false), ("application/jsonp", false), ("application/jso", false),
            ("application/json, text/plain", false), (";charset=utf-8", false),
            ("application/ld+json", false),
            ("application/json\u{0}", false), ("é", false),
        ]
    )
    func mediaTypes(value: String, isAccepted: Bool) {
        let bytes = Array(value.utf8)
        let found = MediaType.isJSON(bytes.span)
        #expect(found == isAccepted)
    }

    @Test(
        "name an endpoint exactly, or no endpoint",
        arguments: [
            ("retention-message", .retentionMessage), ("ping", .ping), ("status", .status),
            ("Ping", nil), ("ping ", nil), ("", nil), ("retention-messages", nil), ("metrics2", nil),
        ] as [(String, EndpointName?)]
    )
    func names(value: String, expected: EndpointName?) {
        let bytes = Array(value.utf8)
        let found = EndpointName(bytes.span)
        #expect(found == expected)
    }
}
