import Support
import System
import Testing

@Suite("The page of a report")
struct ReportPageTests {
    private static let sums = SourceFile.root + "/examples/report/sums.ndjson"

    private static func page(
        _ sums: String, in folder: TemporaryDirectory, _ options: [String] = []
    ) throws -> String {
        let path = folder.path(of: "report.html")
        let run = try Tool.run(["report", "--statistics", sums, "--html", path] + options)
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
        // Of the experiment without a verdict there is no picture, and what is not sure is not saved.
        #expect(page.ranges(of: "class=\"band\"").count == 4)
        #expect(page.ranges(of: "95 % interval").count == 4)
        #expect(page.matches(of: #/<td>[0-9,]+ subscribers (saved|lost)/#).count == 2)
        for tag in page.matches(of: /<[a-z][^>]*>/) {
            let text = String(tag.output)
            #expect(
                !text.hasPrefix("<script") && !text.hasPrefix("<img") && !text.hasPrefix("<link"), "\(text)")
            #expect(!text.contains(#/ (on[a-z]+|src|href|style)=/#), "\(text)")
        }
    }

    @Test("says what verdicts on revenue are about")
    func revenue() throws {
        let page = try Self.page(Self.sums, in: try TemporaryDirectory(), ["--outcome", "revenue30d"])
        #expect(page.contains("<code>revenue30d</code> (payments within 30 days, less refunds)."))
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
}
