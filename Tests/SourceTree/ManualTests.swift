import JSON
import Support
import System
import Testing

/// People write the pages. These tests find what a change of the programs would make wrong in them.
@Suite("The manual")
struct ManualTests {
    private static let pages = [
        "retention-catalogue.5", "retention-facts.5", "retention-guide.7", "retention-monitoring.7",
        "retention-operations.7", "retention-report.7", "retention-rules.5", "retention-store.5",
        "retentiond.8", "retentiond-recorder.8",
        "retentiond.json.5",
    ]

    /// The only line of more than 80 columns: the header row of the table in *examples/facts*, which cannot be broken.
    private static let wideLine =
        "originalTransactionId,paidPeriods,inTrial,storefront,offersAccepted,"
        + "lastOfferAt"

    @Test("has pages that man shows on 80 columns, and in which mandoc finds no mistake")
    func rendered() throws {
        let folder = try TemporaryDirectory()
        let render = "\(SourceFile.root)/\(ManualPage.folder)/render"
        let run = try ProgramRun.run(render, [folder.path])
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        for page in Self.pages {
            let path = folder.path(of: "man\(page.suffix(1))/\(page)")
            let lint = try ProgramRun.run("mandoc", ["-T", "lint", path])
            #expect(lint.status == 0 && lint.output.isEmpty && lint.errors.isEmpty, "\(page): \(lint.output)")
            let shown = try ProgramRun.run("mandoc", ["-T", "ascii", path])
            #expect(shown.status == 0 && shown.output.contains("S\u{8}SE\u{8}EE\u{8}E"), "\(page)")
            // A bold or underlined character is two characters with a backspace between them.
            let lines = shown.output.replacing(/.\u{8}/, with: "").split(separator: "\n")
            // A line with a digest of 64 digits cannot be broken: a person copies it as a whole.
            let wide = lines.filter { line in
                line.count > 80 && !line.hasSuffix(Self.wideLine) && !line.contains(/[0-9a-f]{64}/)
            }
            #expect(wide.isEmpty, "\(page)")
        }
        let sources = try SourceFile.paths(below: ManualPage.folder).filter { $0.hasSuffix(".md") }
        #expect(sources.count == Self.pages.count)
    }

    @Test("refers only to pages and files that exist, as the README does")
    func references() throws {
        // Packages make retentionctl(1) from `--help`.
        let known = Set(Self.pages + ["retentionctl.1", "nginx.8", "install.1", "cp.1", "errno.3"])
        var texts = try Self.pages.map { try ManualPage.text($0 + ".md") }
        texts.append(String(decoding: try SourceFile.read(SourceFile.root + "/README.md"), as: UTF8.self))
        for text in texts {
            for match in text.matches(of: /\*\*([a-z.-]+)\*\*\(([0-9])\)/) {
                #expect(known.contains("\(match.output.1).\(match.output.2)"))
            }
            for match in text.matches(of: /\]\(([^)]+)\)|[*`]((?:examples|nginx|Tests)\/[A-Za-z0-9@.\/_-]+)/)
            {
                let path = "\(SourceFile.root)/\(match.output.1 ?? match.output.2 ?? "")"
                #expect(throws: Never.self, "\(path)") { try FileStatus(path: path) }
            }
        }
    }

    @Test("has every setting, and no other")
    func settings() throws {
        let page = try ManualPage.text("retentiond.json.5.md")
        let rows = page.matches(of: #/\n- `([A-Za-z]+)`: (.*)/#).map { (String($0.output.1), $0.output.2) }
        let settings = try ShippedSchema.settings().filter { !["limits", "log"].contains($0.path) }
        let names = settings.map { $0.path.split(separator: ".").last.map(String.init) ?? "" }
        // Several objects have a setting of the same name.
        #expect(rows.map(\.0).sorted() == names.sorted())
        for (setting, name) in zip(settings, names) where setting.schema.member("type")?.string == "integer" {
            let low = try #require(setting.schema.member("minimum")?.int64, "\(setting.path)")
            let high = try #require(setting.schema.member("maximum")?.int64, "\(setting.path)")
            let bounds = high == .max ? "\(low) or more" : "\(low) to \(high)"
            let value = setting.schema.member("default")?.int64.map { "; default `\($0)`" } ?? ""
            let end = "(\(bounds)\(value))"
            #expect(rows.contains { $0.0 == name && $0.1.hasSuffix(end) }, "\(setting.path) \(end)")
        }
    }

    @Test("has every code of the endpoint with its status, and nginx's own code")
    func codes() throws {
        let golden = try SourceFile.read(SourceFile.root + "/Tests/Reply/Golden/problems.txt")
        var rows = Set(["| `pool-unavailable` | 503", "| `address-limited` | 429"])
        for line in String(decoding: golden, as: UTF8.self).split(separator: "\n").dropFirst() {
            let cells = line.split(separator: "|").map { String($0.filter { $0 != " " }) }
            rows.insert("| `\(cells[0])` | " + (cells[1] == cells[4] ? cells[1] : "\(cells[1]), \(cells[4])"))
        }
        let page = try ManualPage.text("retention-monitoring.7.md")
        let found = page.matches(of: /\n(\| `[a-z0-9-]+` \| [0-9]{3}(?:, [0-9]{3})?) \|/)
        #expect(Set(found.map { String($0.output.1) }) == rows)
        let shipped = try SourceFile.read(SourceFile.root + "/nginx/retentiond.conf")
        #expect(String(decoding: shipped, as: UTF8.self).contains(#""code":"pool-unavailable""#))
    }
}
