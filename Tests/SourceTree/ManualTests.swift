import Configuration
import JSON
import Support
import System
import Testing

/// The manual agrees with the programs, because its tables come from the same definitions as the programs.
@Suite("The manual")
struct ManualTests {
    private static let pages = [
        "retention-catalogue.5", "retention-facts.5", "retention-operations.7", "retention-rules.5",
        "retention-store.5",
        "retentionctl.1", "retentiond.8", "retentiond-recorder.8",
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

    @Test("refers only to pages that exist, and to each of its pages")
    func references() throws {
        var referred: Set<String> = []
        for page in Self.pages {
            let text = try ManualPage.text(page + ".md")
            for match in text.matches(of: /\*\*([a-z.-]+)\*\*\(([0-9])\)/) {
                referred.insert("\(match.output.1).\(match.output.2)")
            }
        }
        #expect(Set(Self.pages).isSubset(of: referred))
        #expect(
            referred.subtracting(Self.pages).isSubset(of: ["nginx.8", "install.1", "cp.1", "errno.3"]),
            "\(referred)")
    }

    @Test("has every setting, as the configuration describes it")
    func settings() throws {
        let entries = Configuration.describedSettings().map { setting in
            var facts = setting.standard.isEmpty ? [] : ["Default: `\(setting.standard)`."]
            if !setting.values.isEmpty { facts.append("Values: \(setting.values).") }
            if !setting.onHangup.isEmpty { facts.append("On HUP: \(setting.onHangup).") }
            let text = [setting.meaning.replacing("*", with: "\\*")] + facts
            return (term: "`\(setting.path)`", text: text.joined(separator: " "))
        }
        try ManualPage.check(ManualPage.list(entries), in: "retentiond.json.5.md", part: "settings")
    }

    /// The settings that every operator needs.
    private static let first: Set = [
        "apps", "apps[].appAppleId", "apps[].bundleId", "apps[].environments", "apps[].signingKeys", "listen",
        "listenGroup", "workers", "dataDirectory", "stateDirectory", "noAnswer", "log.decisions",
    ]

    @Test("begins with the README, of at most 250 lines; ARCHITECTURE.md has at most 200")
    func readme() throws {
        let settings = Configuration.describedSettings().filter { Self.first.contains($0.path) }
        #expect(settings.count == Self.first.count)
        let rows = settings.map { setting in
            [
                "`\(setting.path)`", setting.standard.isEmpty ? "" : "`\(setting.standard)`",
                setting.meaning.replacing("*", with: "\\*"),
            ]
        }
        let table = ManualPage.table(["key", "default", "meaning"], widths: [3, 3, 3], rows)
        try ManualPage.check(table, path: "README.md", part: "settings")
        let text = String(decoding: try SourceFile.read(SourceFile.root + "/README.md"), as: UTF8.self)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 250)
        let house = try SourceFile.read(SourceFile.root + "/Sources/ARCHITECTURE.md")
        #expect(house.count { $0 == UInt8(ascii: "\n") } <= 200)
        for match in text.matches(of: /\]\(([^)]+)\)/) {
            let path = "\(SourceFile.root)/\(match.output.1)"
            #expect(throws: Never.self, "\(path)") { try SourceFile.read(path) }
        }
    }

    @Test("has every code of the endpoint with its status, and nginx's own code")
    func codes() throws {
        let golden = try SourceFile.read(SourceFile.root + "/Tests/Answers/Golden/problems.txt")
        let rows = String(decoding: golden, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            line.split(separator: "|").map { cell in
                let text = cell.drop { $0 == " " }
                return String(text.lastIndex { $0 != " " }.map { text[...$0] } ?? "")
            }
        }
        let nginx = ["pool-unavailable", "503", "yes", "nginx's own: no worker answered in time", "503"]
        let entries = (rows + [nginx]).map { cells in
            let mayRetry = cells[2] == "yes" ? " The same request may succeed later." : ""
            let other = cells[4] == cells[1] ? "" : ", for a notification \(cells[4])"
            return (term: "`\(cells[0])`", text: "Status \(cells[1])\(other). \(cells[3]).\(mayRetry)")
        }
        try ManualPage.check(ManualPage.list(entries), in: "retention-operations.7.md", part: "codes")
        let shipped = try SourceFile.read(SourceFile.root + "/nginx/retentiond.conf")
        #expect(String(decoding: shipped, as: UTF8.self).contains(#""code":"pool-unavailable""#))
    }
}
