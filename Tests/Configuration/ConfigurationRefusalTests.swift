import Configuration
import JSON
import System
import Testing

@Suite("A refused configuration")
struct ConfigurationRefusalTests {
    static let shape: [RefusedConfiguration] = [
        .init("[]", "configuration.wrong-type", "", 1, 1),
        .init("null", "configuration.wrong-type", "", 1, 1),
        .init("{}", "configuration.missing-key", "", 1, 1),
        .init("{\"apps\":{}}", "configuration.wrong-type", "apps", 1, 9),
        .init("{\"apps\":[]}", "configuration.out-of-range", "apps", 1, 9),
        .init("{\"apps\":[1]}", "configuration.wrong-type", "apps[0]", 1, 10),
        .init(member: "\"worker\":1", "configuration.unknown-key", "worker", column: 1),
        .init(member: "\"Workers\":1", "configuration.unknown-key", "Workers", column: 1),
        .init(member: "\"\":1", "configuration.unknown-key", "", column: 1),
        .init(member: "\"log\":{\"file\":1}", "configuration.unknown-key", "log.file", column: 8),
        .init(member: "\"log\":[]", "configuration.wrong-type", "log", column: 7),
        .init(member: "\"store\":\"sqlite:/x\"", "configuration.not-supported", "store", column: 1),
        .init(member: "\"threadsPerWorker\":2", "configuration.not-supported", "threadsPerWorker", column: 1),
        .init(member: "\"user\":\"retentiond\"", "configuration.not-supported", "user", column: 1),
    ]

    static let values: [RefusedConfiguration] = [
        .init(member: "\"workers\":-1", "configuration.out-of-range", "workers", column: 11),
        .init(member: "\"workers\":1025", "configuration.out-of-range", "workers", column: 11),
        .init(
            member: "\"stuckMilliseconds\":999", "configuration.out-of-range", "stuckMilliseconds", column: 21
        ),
        .init(
            member: "\"stuckMilliseconds\":-1", "configuration.out-of-range", "stuckMilliseconds", column: 21),
        .init(member: "\"workers\":1.0", "configuration.wrong-type", "workers", column: 11),
        .init(member: "\"workers\":\"1\"", "configuration.wrong-type", "workers", column: 11),
        .init(member: "\"workers\":true", "configuration.wrong-type", "workers", column: 11),
        .init(member: "\"workers\":null", "configuration.wrong-type", "workers", column: 11),
        .init(member: "\"errorLog\":null", "configuration.wrong-type", "errorLog", column: 12),
        .init(member: "\"listenGroup\":\"\"", "configuration.invalid-value", "listenGroup", column: 15),
        .init(member: "\"listenGroup\":\"a b\"", "configuration.invalid-value", "listenGroup", column: 15),
        .init(member: "\"listenGroup\":\"a:b\"", "configuration.invalid-value", "listenGroup", column: 15),
        .init(
            member: "\"allowRemoteFastCGI\":1", "configuration.wrong-type", "allowRemoteFastCGI", column: 22),
        .init(member: "\"listenMode\":660", "configuration.wrong-type", "listenMode", column: 14),
        .init(member: "\"listenMode\":\"0668\"", "configuration.invalid-value", "listenMode", column: 14),
        .init(member: "\"listenMode\":\"+660\"", "configuration.invalid-value", "listenMode", column: 14),
        .init(member: "\"listenMode\":\"1777\"", "configuration.invalid-value", "listenMode", column: 14),
        .init(member: "\"listenMode\":\"60\"", "configuration.invalid-value", "listenMode", column: 14),
        .init(member: "\"listen\":9000", "configuration.wrong-type", "listen", column: 10),
        .init(member: "\"listen\":\"/x\"", "configuration.invalid-value", "listen", column: 10),
        .init(member: "\"listen\":\"0.0.0.0:9000\"", "configuration.remote-listen", "listen", column: 10),
        .init(member: "\"listen\":\"[::]:9000\"", "configuration.remote-listen", "listen", column: 10),
        .init(member: "\"listen\":\"10.0.0.1:9000\"", "configuration.remote-listen", "listen", column: 10),
        .init(
            member: "\"dataDirectory\":\"data\"", "configuration.invalid-value", "dataDirectory", column: 17),
        .init(member: "\"pidFile\":\"/a\\nb\"", "configuration.invalid-value", "pidFile", column: 11),
        .init(
            member: "\"log\":{\"decisions\":\"x\"}", "configuration.invalid-value", "log.decisions",
            column: 20),
        .init(
            member: "\"log\":{\"level\":\"trace\"}", "configuration.invalid-value", "log.level", column: 16),
        .init(member: "\"anchors\":\"/a\"", "configuration.wrong-type", "anchors", column: 11),
        .init(member: "\"anchors\":[]", "configuration.out-of-range", "anchors", column: 11),
        .init(member: "\"anchors\":[\"/a\",1]", "configuration.wrong-type", "anchors[1]", column: 17),
        .init(member: "\"anchors\":[\"/a\",\"/a\"]", "configuration.duplicate-value", "anchors", column: 11),
    ]

    @Test(
        "has one problem with a stable code, a path and an exact position",
        arguments: shape + values + apps + notifications
    )
    func refuses(_ row: RefusedConfiguration) {
        let error = #expect(throws: ConfigurationError.self) { try parse(row.text) }
        #expect(error?.code == row.code)
        #expect(error?.findings.count == 1)
        #expect(error?.findings.first?.path == row.path)
        #expect(error?.findings.first?.line == row.line)
        #expect(error?.findings.first?.column == row.column)
    }

    @Test("has a row for every code")
    func coverage() {
        let rows = Set((Self.shape + Self.values + Self.apps).map(\.code))
        #expect(rows == Set(ConfigurationReason.allCases.map { "configuration.\($0.rawValue)" }))
    }

    @Test(
        "suggests the key that may have been meant",
        arguments: [
            ("worker", "workers"), ("Workers", "workers"), ("stuck_milliseconds", "stuckMilliseconds"),
            ("STUCK-MILLISECONDS", "stuckMilliseconds"),
            ("pidfile", "pidFile"), ("backlogg", "backlog"), ("dataDir", "dataDirectory"), ("x", nil),
            ("entirelyElse", nil),
        ] as [(String, String?)]
    )
    func hint(key: String, expected: String?) {
        let error = #expect(throws: ConfigurationError.self) { try parse("{\(appsText),\"\(key)\":1}") }
        #expect(error?.findings.first?.message == "unknown key \"\(key)\"")
        #expect(error?.findings.first?.hint == expected.map { "did you mean \"\($0)\"?" })
    }

    @Test("reports all problems in one run, in the order of the text")
    func all() {
        let text = """
            { "wrokers": 1,
              "listen": "0.0.0.0:9000",
              "apps": [ {"appAppleId": 1.5, "environments": ["Xcode"]} ],
              "backlog": 0 }
            """
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(
            error?.description == """
                1:3: wrokers: unknown key "wrokers", did you mean "workers"?
                2:13: listen: whoever reaches this address can crash the workers; use a unix socket, or set \
                allowRemoteFastCGI (configuration.remote-listen)
                3:13: apps[0]: "bundleId" is missing (configuration.missing-key)
                3:28: apps[0].appAppleId: expected a whole number, found a number with a fraction (configuration.wrong-type)
                3:50: apps[0].environments[0]: "Xcode" is never accepted, nobody signs its payloads; use \
                "LocalTesting" (configuration.xcode-environment)
                4:14: backlog: must be from 1 to 65535 (configuration.out-of-range)
                """
        )
    }

    @Test(
        "that is not JSON has the code and the position of the JSON error",
        arguments: [
            ("{\n  x", "json.syntax", 2), ("{\"user\":\"a\",\n\"user\":\"a\"}", "json.duplicate-key", 2),
            ("{\"workers\":1e999}", "json.number-out-of-range", 1), ("{} {}", "json.trailing-bytes", 1),
            (String(repeating: "[", count: 17), "json.too-deep", 1),
            (String(repeating: " ", count: ConfigurationLimits.fileBytes + 1), "json.too-large", nil),
        ] as [(String, String, Int?)]
    )
    func json(text: String, code: String, line: Int?) {
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.code == code)
        #expect(error?.findings.first?.line == line)
        #expect(error?.findings.count == 1)
    }
}
