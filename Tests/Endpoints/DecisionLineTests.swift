import AppStoreSimulator
import FastCGI
import JSON
@testable import Pool
import Rules
import Support
import System
import Testing

@Suite("The line of a decision record")
struct DecisionLineTests {
    private static let identifiers = [
        "551ee7c0-c097-418e-9dd5-2a98533a7390", "551ee7c0-c097-418e-9dd5-2a98533a7391",
    ].compactMap { UUID($0) }

    /// Rules whose message has this name, with rules of these ids that draw an arm and then have no message for the locale.
    private static func model(message: String, drawn ids: [String] = []) -> RulesModel {
        var model = RulesModel(
            appAppleId: SignedBody.appAppleId, bundleId: "com.example.app", environment: .sandbox)
        model.messages = [
            .init(
                name: message, kind: .text, identifiers: [.init(locale: "en-US", identifier: identifiers[0])]),
            .init(name: "z", kind: .text, identifiers: [.init(locale: "xx-XX", identifier: identifiers[1])]),
        ]
        model.rules = ids.map { id in
            .init(
                id: id,
                choice: .variants(
                    .init(salt: "s", arms: [.init(name: id + "-arm", weight: 10_000, outcome: .message(1))])
                )
            )
        }
        model.defaultOutcome = .message(0)
        return model
    }

    /// The one line that is written for one request.
    private static func line(
        _ model: RulesModel,
        _ change: (inout RequestPayload) -> Void = { _ in }
    ) throws -> (line: [UInt8], payload: RequestPayload, world: EndpointWorld) {
        let folder = try TemporaryDirectory()
        try folder.write(DecisionRecordsTests.key, to: "key", permissions: 0o600)
        let world = try EndpointWorld(
            settings:
                #", "log": {"decisions": "\#(folder.path(of: "d"))"}, "identifierKeyFile": "\#(folder.path(of: "key"))""#,
            rules: nil,
            files: [("app.rules.json", model.pushed)]
        )
        let payload = SignedBody.payload(signedDate: world.now).with(change)
        let body = try SignedBody.make(payload, chain: world.chain)
        try #require(world.answer(world.parameters(), body).status == 200)
        world.finishRecords()
        let lines = try folder.read("d").split(separator: UInt8(ascii: "\n"))
        let records = lines.filter { $0.starts(with: #"{"time""#.utf8) }
        return (records.flatMap { $0 + [UInt8(ascii: "\n")] }, payload, world)
    }

    private static func root(_ line: [UInt8]) throws -> JSONValue {
        try #require(line.last == UInt8(ascii: "\n"))
        let limits = JSONLimits(byteCount: 4096, depth: 4)
        return try JSONDocument(parsing: Array(line.dropLast()).span, limits: limits).root
    }

    @Test("has the same members in the same order also when most of them are empty")
    func members() throws {
        let (line, payload, world) = try Self.line(Self.model(message: "m"))
        let root = try Self.root(line)
        func text(_ name: String) -> String { root.member(named: name)?.string ?? "?" }
        func number(_ name: String) -> Int64 { root.member(named: name)?.int64 ?? -1 }
        let expected =
            #"{"time":"\#(text("time"))","signedDate":"\#(text("signedDate"))","#
            + #""instance":"\#(text("instance"))","sequence":1,"#
            + #""requestIdentifier":"\#(payload.requestIdentifier)","#
            + #""subscriber":"\#(text("subscriber"))","app":\#(SignedBody.appAppleId),"environment":"Sandbox","#
            + #""product":"\#(payload.productId)","locale":"\#(payload.userLocale)","rule":null,"arm":null,"#
            + #""reason":"DEFAULT","assigned":[],"#
            + #""served":{"messageIdentifier":"\#(Self.identifiers[0])","offerIdentifier":null,"kind":"message","#
            + #""message":"m","locale":"en-US"},"digest":"\#(text("digest"))","#
            + #""verifyMicroseconds":\#(number("verifyMicroseconds")),"totalMicroseconds":\#(number("totalMicroseconds"))}"#
            + "\n"
        #expect(String(decoding: line, as: UTF8.self) == expected)
        #expect(CivilTime(text("signedDate"))?.milliseconds == payload.signedDate)
        let time = try #require(CivilTime(text("time"))?.milliseconds)
        #expect((world.now...Clock.wallMilliseconds()).contains(time))
    }

    @Test("is strict JSON whatever characters a product has")
    func escapes() throws {
        let name = "a\"b\\c\u{1}\n\u{2028}é😀\t"
        let (line, _, _) = try Self.line(Self.model(message: "m", drawn: ["r"])) { $0.productId = name }
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
        let root = try Self.root(line)
        #expect(root.member("product")?.string == name)
        #expect(root.member("served")?.member("message")?.string == "m")
        let draw = try #require(root.member("assigned")?.element(at: 0))
        #expect(draw.member("rule")?.string == "r" && draw.member("arm")?.string == "r-arm")
        #expect(draw.member("step")?.string == "locale")
    }

    /// A product whose name takes 3,000 bytes in JSON.
    private static let escaped = String(repeating: "\u{1}", count: 500)

    @Test("is dropped and counted when it is too long without draws")
    func tooLong() throws {
        var model = Self.model(message: "m")
        model.lastLocale = "en-US"
        let (line, _, world) = try Self.line(model) {
            $0.productId = Self.escaped
            $0.userLocale = Self.escaped
        }
        #expect(line.isEmpty)
        #expect(world.counters.value(.decisionsWritten) == 0 && world.counters.value(.decisionsDropped) == 1)
    }
}
