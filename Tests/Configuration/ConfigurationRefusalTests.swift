import Configuration
import Support
import System
import Testing

/// The cases are in Golden/refusals.txt: each line at the margin is a configuration, in which APPS stands for valid
/// apps, and the indented lines below it are what is reported.
@Suite("A refused configuration")
struct ConfigurationRefusalTests {
    private static let path = "Tests/Configuration/Golden/refusals.txt"

    @Test("has problems with a stable code, a path, a position and a hint, and every code has a case")
    func cases() throws {
        let file = String(decoding: try SourceFile.read("\(SourceFile.root)/\(Self.path)"), as: UTF8.self)
        var report = ""
        var codes: Set<String> = []
        for line in file.split(separator: "\n").map(String.init) where !line.hasPrefix(" ") {
            let error = #expect(throws: ConfigurationError.self) {
                try parse(line.replacing("APPS", with: appsText))
            }
            for finding in error?.findings ?? [] { codes.insert(finding.code) }
            report += line + "\n"
            for text in error?.description.split(separator: "\n") ?? [] { report += "    \(text)\n" }
        }
        let all = Set(ConfigurationReason.allCases.map { "configuration.\($0.rawValue)" })
        #expect(all.isSubset(of: codes))
        try GoldenFile.check(report, Self.path)
    }

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
