import Configuration
import JSON
import NotificationStore
import Support
import Testing
import Vocabulary

/// The configuration, its schema and the program that passes notifications on must agree about a receiver: a receiver that
/// `-t` accepts and the program refuses would be found out only when notifications are missing.
@Suite("A receiver in the configuration")
struct ReceiverAgreementTests {
    private static let long = "https://\(String(repeating: "a", count: 257)).com/"

    static let urls: [(text: String, isGood: Bool)] = [
        ("https://example.com", true), ("https://example.com/", true), ("https://example.com?key=a", true),
        ("https://example.com:8443/in?key=hunter2&b=[1]", true), ("https://EXAMPLE.com/~a/%20;x=1", true),
        ("https://192.0.2.7:443/", true), ("https://[2001:db8::1]:8443/in", true),
        ("https://a:65535/", true), ("https://a:00443/", true),
        ("https://a/" + String(repeating: "b", count: 2038), true),
        ("https://a/" + String(repeating: "b", count: 2039), false), (long, false),
        ("https://a_b.example/", false), ("https://example.com:0/", false),
        ("https://example.com:65536/", false), ("https://example.com:99999/", false),
        ("https://example.com:/", false), ("https://example.com:https/", false), ("https://a:1:2/", false),
        ("https://[::1/", false), ("https://::1/", false), ("https://[::1]x/", false),
        ("https://[]/", false), ("https://a]b/", false), ("https://a/<b>", false),
        ("https://a/\\b", false), ("https://a/{b}", false), ("https://a/`b`", false),
        ("https://a/^|", false), ("https://a/#b", false), ("https://a?b#c", false),
        ("https://a/b c", false), ("https://a/ä", false), ("https://ä/", false), ("https://u@a/", false),
        ("https://u:p@a/", false), ("https://", false), ("https:///a", false), ("https://:443/", false),
        ("https://?a", false), ("http://a/", false), ("http://127.0.0.1/", false), ("HTTPS://a/", false),
        ("ftp://a/", false), ("https:/a", false), ("a.example", false), ("", false),
    ]

    /// The schema of `notifications.forward[].url`.
    private static func schema() throws -> JSONSchema {
        let text = Configuration.schemaJSON()
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let root = try JSONDocument(parsing: text.span, limits: limits).root
        let path = ["properties", "notifications", "properties", "forward", "items", "properties", "url"]
        let found = path.reduce(root as JSONValue?) { $0?.member(named: $1) }
        return JSONSchema(try #require(found))
    }

    private static func configuration(_ url: String) -> [UInt8] {
        let forward = JSONNode.array([.object([("url", .string(url))])])
        let app = #"{"appAppleId": 1, "bundleId": "a", "environments": ["Sandbox"]}"#
        return Array(#"{"apps": [\#(app)], "notifications": {"forward": "#.utf8) + forward.serialized()
            + Array("}}".utf8)
    }

    @Test("is judged alike by the configuration, by its schema and by the program", arguments: urls.indices)
    func agreement(index: Int) throws {
        let (url, isGood) = Self.urls[index]
        let value = JSONNode.array([.string(url)]).serialized()
        let limits = JSONLimits(byteCount: 1 << 20, depth: 32)
        let element = try JSONDocument(parsing: value.span, limits: limits).root.element(at: 0)
        #expect(try Self.schema().errors(in: #require(element)).isEmpty == isGood, "\(url)")
        do {
            let configuration = try Configuration(parsing: Self.configuration(url))
            let forward = try #require(configuration.notifications?.forward.first)
            #expect(throws: Never.self) { try ForwardReceiver(url: forward.url) }
            #expect(isGood, "\(url)")
        } catch let error as ConfigurationError {
            #expect(!isGood && error.code == "configuration.invalid-value", "\(url): \(error)")
            #expect(error.findings.first?.path == "notifications.forward[0].url", "\(error)")
        }
    }
}
