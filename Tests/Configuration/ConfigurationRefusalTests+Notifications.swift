import Configuration
import Testing

extension ConfigurationRefusalTests {
    private static func row(
        _ key: String, _ value: String, _ reason: String, at path: String? = nil, _ column: Int = 0
    )
        -> RefusedConfiguration
    {
        .init(
            member: "\"notifications\":{\"\(key)\":\(value)}",
            "configuration.\(reason)",
            path ?? "notifications.\(key)",
            // The value stands behind `"notifications":{"KEY":`.
            column: column == 0 ? 21 + key.utf8.count : column
        )
    }

    static let notifications: [RefusedConfiguration] = [
        .init(member: "\"notifications\":[]", "configuration.wrong-type", "notifications", column: 17),
        row("nonsense", "1", "unknown-key", 18),
        row("listen", "\"0.0.0.0:9000\"", "remote-listen"),
        row("listen", "\"/x\"", "invalid-value"),
        row("listen", "\"unix:/run/retentiond/retentiond.sock\"", "duplicate-value"),
        row("store", "\"/x.db\"", "invalid-value"), row("store", "\"sqlite:x.db\"", "invalid-value"),
        row("store", "\"sqlite:/x/\"", "invalid-value"),
        row("store", "\"postgresql://user:secret@host/db\"", "invalid-value"),
        row("store", "\"postgresql://host/db?password=secret\"", "invalid-value"),
        row("store", "\"postgresql://host/db?sslpassword=secret\"", "invalid-value"),
        row("store", "\"postgresql://host/db?%70assword=secret\"", "invalid-value"),
        row("store", "\"mysql://host/db\"", "invalid-value"), row("pidFile", "\"p\"", "invalid-value"),
        row("deadlineMilliseconds", "99", "out-of-range"), row("retentionDays", "-1", "out-of-range"),
        row("batchCount", "0", "out-of-range"),
        row("forward", "[]", "out-of-range"),
        row("forward", "[{}]", "missing-key", at: "notifications.forward[0]", 29),
        row("forward", "[{\"url\":\"http://a\"}]", "invalid-value", at: "notifications.forward[0].url", 36),
        row(
            "forward", "[{\"url\":\"https://u@a/\"}]", "invalid-value", at: "notifications.forward[0].url", 36
        ),
        row(
            "forward", "[{\"url\":\"https://a/s\",\"types\":[\"A B\"]}]", "invalid-value",
            at: "notifications.forward[0].types[0]", 59),
        row(
            "forward", "[{\"url\":\"https://a/s\",\"environments\":[\"sandbox\"]}]", "invalid-value",
            at: "notifications.forward[0].environments[0]", 66),
        row(
            "forward", "[{\"url\":\"https://a/s\",\"apps\":[\"a\",\"a\"]}]", "duplicate-value",
            at: "notifications.forward[0].apps", 57),
        row(
            "forward", "[{\"url\":\"https://a/s\"},{\"url\":\"https://a/s\"}]", "duplicate-value",
            at: "notifications.forward[1].url", 58),
    ]

    @Test(
        "does not repeat the URL of a receiver, which may have a secret",
        arguments: [
            #""https://a/s3cret"},{"url":"https://a/s3cret""#, #""http://a/s3cret""#, #""https://s3cret@a/""#,
        ]
    )
    func secretURL(urls: String) {
        let text = #"{\#(appsText),"notifications":{"forward":[{"url":\#(urls)}]}}"#
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.description.contains("s3cret") == false)
        #expect(error?.description(ofFile: "/r").contains("s3cret") == false)
    }
}
