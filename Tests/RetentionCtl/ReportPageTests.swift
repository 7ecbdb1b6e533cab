import Support
import System
import Testing

@Suite("The page of a report")
struct ReportPageTests {
    private static let sums = SourceFile.root + "/examples/report/sums.ndjson"

    private static func page(_ sums: String, in folder: TemporaryDirectory) throws -> String {
        let path = folder.path(of: "report.html")
        let run = try Tool.run(["report", "--statistics", sums, "--html", path])
        #expect(run.status == 0, "\(run)")
        return String(decoding: try folder.read("report.html"), as: UTF8.self)
    }

    @Test("has the sentences of the report, a picture of each lift, and nothing that runs or loads")
    func content() throws {
        let folder = try TemporaryDirectory()
        let page = try Self.page(Self.sums, in: folder)
        let text = try Tool.run(["report", "--statistics", Self.sums]).output
        let sentences = text.split(separator: "\n").filter { $0.contains(": ") && $0.hasSuffix(".") }
        #expect(sentences.count == 6)
        for sentence in sentences {
            let shown = sentence.dropLast().replacing("\"", with: "&quot;")
            #expect(page.contains(shown), "\(sentence)")
        }
        #expect(page.ranges(of: "class=\"band\"").count == 5)
        for tag in page.matches(of: /<[a-z][^>]*>/) {
            let text = String(tag.output)
            #expect(
                !text.hasPrefix("<script") && !text.hasPrefix("<img") && !text.hasPrefix("<link"), "\(text)")
            #expect(!text.contains(#/ (on[a-z]+|src|href|style)=/#), "\(text)")
        }
    }

    @Test("has no markup from hostile names")
    func hostile() throws {
        let folder = try TemporaryDirectory()
        let hostile = "<script>alert(1)</script>\\\"'&"
        let sums = String(decoding: try SourceFile.read(Self.sums), as: UTF8.self)
            .replacing("annual_upsell", with: hostile).replacing("\"treated\"", with: "\"\(hostile)\"")
        try folder.write(sums, to: "hostile.ndjson")
        let page = try Self.page(folder.path(of: "hostile.ndjson"), in: folder)
        #expect(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"))
    }

    /// A page of ours has no script, so a frame of another page measures it.
    @Test(
        "fits a telephone and a desk, and prints on A4",
        .enabled(if: (try? FileStatus(path: "/usr/bin/chromium")) != nil), arguments: [360, 1200])
    func browser(width: Int) throws {
        let folder = try TemporaryDirectory()
        _ = try Self.page(Self.sums, in: folder)
        let frame = """
            <!doctype html><iframe id="page" src="report.html" width="\(width)" height="900" style="border:0"></iframe>
            <p id="seen"></p><script>
            onload = () => {
              const page = document.getElementById("page").contentDocument
              const texts = [...page.querySelectorAll("svg text")].map(text => text.getBoundingClientRect())
              const figures = [...page.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect())
              document.getElementById("seen").textContent = [
                page.documentElement.scrollWidth - page.documentElement.clientWidth, figures.length,
                figures.every(box => box.width > 200 && box.height > 40),
                Math.min(...texts.map(box => box.height)) > 9, texts.every(box => box.right <= \(width))].join(" ")
            }
            </script>
            """
        try folder.write(frame, to: "frame.html")
        func chromium(_ options: [String]) throws -> ProgramRun {
            let common = [
                "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                "--user-data-dir=\(folder.path(of: "profile"))", "--virtual-time-budget=2000",
            ]
            return try ProgramRun.run(
                "chromium", common + options,
                environment: ["PATH=/usr/bin:/bin", "LANG=C", "HOME=\(folder.path)"])
        }
        let run = try chromium(["--dump-dom", "file://\(folder.path(of: "frame.html"))"])
        let seen = run.output.firstMatch(of: /<p id="seen">([^<]*)</).map { String($0.output.1) }
        #expect(seen == "0 9 true true true", "\(run.errors.suffix(500))")
        guard width == 360 else { return }
        _ = try chromium([
            "--print-to-pdf=\(folder.path(of: "page.pdf"))", "file://\(folder.path(of: "report.html"))",
        ])
        let pages = String(decoding: try folder.read("page.pdf"), as: UTF8.self)
        #expect(pages.contains(/MediaBox \[0 0 59[45]\.[0-9]+ 84[12]\.[0-9]+\]/))
    }
}
