import Configuration
import JSON
import Reply
import SignedPayloads
import System
import Testing

/// The smallest `apps` that a configuration may have.
let appsText = #""apps":[{"appAppleId":7,"bundleId":"com.example.app","environments":["Sandbox"]}]"#

/// A text with every key. Each value differs from its default where it can.
let everythingText = """
    {
      "$schema": "retentiond.schema.json",
      "listen": "[::1]:9000", "listenMode": "640", "listenGroup": "nginx",
      "workers": 4, "maxRequests": 100000,
      "drainMilliseconds": 0, "dataDirectory": "/d", "stateDirectory": "/s", "pidFile": "/p",
      "anchors": ["/a.pem", "/b.pem"],
      "apps": [
        {"appAppleId": 9223372036854775807, "bundleId": "com.example-1.App_2",
         "environments": ["Sandbox", "Production"], "offerSignature": "v2",
         "signingKeys": [{"keyId": "K1", "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "file": "/k1.p8"},
                         {"keyId": "K2", "issuerId": "57246542-96fe-1a63-e053-0824d011072a", "file": "/k2.p8"}],
         "signingKeyId": "K2"},
        {"appAppleId": 1, "bundleId": "b", "environments": ["LocalTesting"], "anchors": ["/test/é.pem"],
         "advancedCommerce": "off"}
      ],
      "maxSignedAgeSeconds": 0, "noAnswer": "empty",
      "deadlineMilliseconds": 650,
      "limits": {"messageBodyBytes": 1024, "notificationBodyBytes": 2048, "rulesBytes": 4096,
                 "factsBytes": 1099511627776},
      "allowRemoteFastCGI": true,
      "log": {"level": "debug", "format": "json", "errorLog": "/e", "decisions": "/l"},
      "slowMilliseconds": 0, "identifierKeyFile": "/i",
      "notifications": {"listen": "unix:/n.sock", "pidFile": "/np", "store": "postgresql://u@h/d",
        "deadlineMilliseconds": 4000, "retentionDays": 400,
        "forward": [{"url": "https://example.com/hook",
            "environments": ["Production"], "apps": ["com.example.app"], "types": ["REFUND", "DID_RENEW"]}]}
    }
    """

func parse(_ text: String) throws(ConfigurationError) -> Configuration {
    try Configuration(parsing: Array(text.utf8))
}

@Suite("A valid configuration")
struct ConfigurationParsingTests {
    @Test("reads every key")
    func everything() throws {
        let configuration = try parse(everythingText)
        #expect(configuration.listen == .internet(host: "::1", port: 9000))
        #expect(configuration.listenMode == 0o640)
        #expect(configuration.listenGroup == "nginx")
        #expect(configuration.apps.map(\.appAppleId) == [.max, 1])
        #expect(configuration.apps[0].environments == [.sandbox, .production])
        #expect(configuration.apps[0].signingKeys.map(\.file) == ["/k1.p8", "/k2.p8"])
        #expect(configuration.apps[0].signingKeyId == "K2")
        #expect(configuration.apps[1].anchors == ["/test/é.pem"])
        #expect(configuration.noAnswer == .empty)
        #expect(configuration.allowRemoteFastCGI)
        #expect(configuration.log.level == .debug)
        #expect(configuration.log.format == .json)
        #expect(configuration.log.decisions == "/l")
        #expect(configuration.identifierKeyPath == "/i")
        #expect(configuration.trustsCustomAnchors)
        let effective = String(decoding: configuration.effectiveJSON(hidingSecrets: false), as: UTF8.self)
        let defaults = try parse("{\(appsText)}")
        #expect(
            try parse(effective).effectiveJSON(hidingSecrets: false)
                != defaults.effectiveJSON(hidingSecrets: false)
        )
    }

    @Test("reads back unchanged from its effective form", arguments: [everythingText, "{\(appsText)}"])
    func effective(text: String) throws {
        let configuration = try parse(text)
        let effective = configuration.effectiveJSON(hidingSecrets: false)
        #expect(try Configuration(parsing: effective) == configuration)
        #expect(effective.last == UInt8(ascii: "\n"))
    }

    @Test("hides issuer identifiers and the URLs of receivers when it is printed for people")
    func hiding() throws {
        let text = String(
            decoding: try parse(everythingText).effectiveJSON(hidingSecrets: true), as: UTF8.self)
        #expect(!text.contains("57246542"))
        #expect(!text.contains("example.com/hook") && text.contains(#""url": "hidden""#))
        #expect(text.contains(#""issuerId": "hidden""#))
        #expect(text.contains("/k1.p8"))
    }

    @Test(
        "reads and writes the forms of `listen`",
        arguments: [
            ("unix:/run/x.sock", ListenAddress.unix(path: "/run/x.sock"), true), ("systemd", .systemd, true),
            ("127.0.0.1:9000", .internet(host: "127.0.0.1", port: 9000), true),
            ("[::1]:1", .internet(host: "::1", port: 1), true),
            ("0.0.0.0:65535", .internet(host: "0.0.0.0", port: 65535), false),
            ("[::]:80", .internet(host: "::", port: 80), false), ("", nil, false),
            ("/run/x.sock", nil, false),
            ("unix:", nil, false), ("unix:run/x.sock", nil, false), ("unix:/run/", nil, false),
            ("unix:/\(String(repeating: "x", count: 107))", nil, false), ("localhost:9000", nil, false),
            ("127.0.0.1", nil, false), ("127.0.0.1:", nil, false), ("127.0.0.1:0", nil, false),
            ("127.0.0.1:65536", nil, false), ("127.0.0.1:+80", nil, false), (":9000", nil, false),
            ("::1:9000", nil, false), ("[127.0.0.1]:9000", nil, false), ("*:9000", nil, false),
            ("Systemd", nil, false),
        ] as [(String, ListenAddress?, Bool)]
    )
    func listen(text: String, expected: ListenAddress?, isLocal: Bool) {
        let address = ListenAddress(text)
        #expect(address == expected)
        #expect(address?.description == (expected == nil ? nil : text))
        #expect(address?.isLocal == (expected == nil ? nil : isLocal))
    }
}
