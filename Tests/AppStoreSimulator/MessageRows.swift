import AppStoreServerAPI
import AppStoreSimulator
import System
import Testing

/// The rows of the three operations on messages.
enum MessageRows {
    private static let path = "/message/\(Sample.message)"

    static let all = taken + refused + states

    private static func row(_ expected: String, _ body: String) -> OperationRow {
        OperationRow(.uploadMessage, expected, "PUT", path, .json(body)) { team in
            try team.upload(in: .sandbox)
            // The message of the preparation has another identifier than that of the row.
            _ = try team.send("DELETE", "/message/\(Sample.message)")
            team.simulator = AppStoreSimulator(configuration: team.simulator.configuration)
            _ = try team.send("PUT", "/image/\(Sample.image)", .png(HeadedPNG.full))
            _ = try team.send("PUT", "/image/\(Sample.bullet)?imageSize=BULLET_POINT", .png(HeadedPNG.bullet))
        }
    }

    /// Characters outside the Basic Multilingual Plane, which are two UTF-16 units each.
    private static func crowns(_ count: Int) -> String { String(repeating: "\u{1F451}", count: count) }
    private static func letters(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static let taken: [OperationRow] = [
        row("200", Sample.text()), row("200", Sample.text(letters(66), letters(144))),
        row("200", Sample.text(crowns(33))),
        row("200", Sample.text("", "")),
        row("200", Sample.text(more: Sample.picture(Sample.image, alt: letters(150)))),
        row("200", Sample.text(more: Sample.picture(Sample.image) + #","headerPosition":"ABOVE_IMAGE""#)),
        row("200", Sample.text(more: #","headerPosition":"ABOVE_BODY""#)),
        row(
            "200",
            Sample.text(more: #","headerPosition":null,"image":null,"bulletPoints":null,"locale":"en-US""#)),
        row("200", Sample.text(more: #","bulletPoints":[]"#)),
        row(
            "200",
            Sample.text(
                more: Sample.bullets(
                    [String](repeating: Sample.bullet, count: 5), text: letters(66), alt: letters(150))
            )
        ),
        OperationRow(
            .uploadMessage, "200", "PUT", path,
            .raw("application/json; charset=utf-8", Array(Sample.text().utf8))),
    ]

    private static let refused: [OperationRow] = [
        row("400 4000162", Sample.text(letters(67))), row("400 4000162", Sample.text(crowns(34))),
        row("400 4000163", Sample.text("Stay", letters(145))),
        row("400 4000175", Sample.text(more: Sample.picture(Sample.image, alt: letters(151)))),
        row("400 4000175", Sample.text(more: Sample.bullets([Sample.bullet], alt: letters(151)))),
        row("400 4000218", Sample.text(more: Sample.bullets([String](repeating: Sample.bullet, count: 6)))),
        row("400 4000219", Sample.text(more: Sample.bullets([Sample.bullet], text: letters(67)))),
        row("400 4000224", Sample.text(more: #","headerPosition":"ABOVE_IMAGE""#)),
        row("400 4000216", Sample.text(more: Sample.picture(Sample.bullet))),
        row("400 4000216", Sample.text(more: Sample.bullets([Sample.image]))),
        row("404 4040014", Sample.text(more: Sample.picture(Sample.other))),
        row("400 4000000", ""), row("400 4000000", "[]"), row("400 4000000", "{}"),
        row("400 4000000", #"{"header":"a"}"#),
        row("400 4000000", #"{"header":1,"body":"b"}"#),
        row("400 4000000", #"{"header":"a","header":"a","body":"b"}"#),
        row("400 4000000", Sample.text(more: #","headerPosition":"BELOW""#)),
        row("400 4000000", Sample.text(more: #","image":{"imageIdentifier":"hero","altText":"a"}"#)),
        row("400 4000000", Sample.text(more: #","image":{"imageIdentifier":"\#(Sample.image)"}"#)),
        row("400 4000000", Sample.text(more: #","image":"hero""#)),
        row("400 4000000", Sample.text(more: #","bulletPoints":{}"#)),
        row("400 4000000", Sample.text(more: #","bulletPoints":[1]"#)),
        row("400 4000000", Sample.text(more: #","bulletPoints":[{"text":"a","altText":"b"}]"#)),
        OperationRow(
            .uploadMessage, "400 4000000", "PUT", path, .raw("text/plain", Array(Sample.text().utf8))),
        OperationRow(.uploadMessage, "400 4000000", "PUT", path, .raw("application/json", nil)),
        OperationRow(.uploadMessage, "400 4000000", "PUT", "/message/hello", .json(Sample.text())),
        OperationRow(
            .uploadMessage, "400 4000000", "PUT", path,
            .json(Sample.text(more: ",\"x\":\"\(letters(70_000))\""))),
    ]

    private static let states: [OperationRow] = [
        OperationRow(.uploadMessage, "409 4090001", "PUT", path, .json(Sample.text())) {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.uploadMessage, "409 4090001", "PUT", path, .json(Sample.text())) { team in
            try team.upload(in: .sandbox)
            #expect(try team.send("DELETE", path).status == 200)
        },
        OperationRow(.uploadMessage, "200", "PUT", path, .json(Sample.text())) {
            try $0.upload(in: .production)
        },
        OperationRow(.uploadMessage, "403 4030016", "PUT", path, .json(Sample.text()), in: .production) {
            team in
            for number in 0..<2000 {
                let target = "/message/\(Sample.identifier(number))"
                let answer = try team.send("PUT", target, .json(Sample.text()), in: .production)
                #expect(answer.status == 200)
            }
        },
        OperationRow(.deleteMessage, "200", "DELETE", path) { try $0.upload(in: .sandbox) },
        OperationRow(.deleteMessage, "404 4040015", "DELETE", path),
        OperationRow(.deleteMessage, "404 4040015", "DELETE", path) { team in
            try team.upload(in: .sandbox)
            _ = try team.send("DELETE", path)
        },
        OperationRow(.deleteMessage, "400 4000000", "DELETE", "/message/hello"),
        OperationRow(.listMessages, "200", "GET", "/message/list"),
    ]
}
