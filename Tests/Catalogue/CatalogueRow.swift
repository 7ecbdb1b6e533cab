import Catalogue
import Support
import Testing
import Vocabulary

/// One change to the good catalogue or to its image, and the finding that must come of it.
struct CatalogueRow: Sendable, CustomTestStringConvertible {
    /// What of the good catalogue is replaced; the first occurrence.
    let old: String
    /// What by; `¦` marks the place that the finding must name and is not part of the catalogue.
    let new: String
    /// The code without `catalogue.`, or a whole code with a dot.
    let code: String
    /// The codes of further findings, in any order.
    private(set) var others: [String] = []
    /// A piece of the wrong catalogue with the mark in it; nil when the mark is in `new`.
    private(set) var marked: String?
    /// The bytes of `images/hero.png`; nil for the good ones.
    private(set) var hero: (@Sendable () -> [UInt8])?
    /// True when the schema refuses the catalogue too; nil for what is usual for the code.
    private(set) var isSeenBySchema: Bool?

    init(_ old: String, _ new: String, _ code: String, _ others: String...) {
        self.old = old
        self.new = new
        self.code = code
        self.others = others
    }

    /// A row about the file of the image `hero`.
    static func image(_ code: String, _ others: String..., bytes: @escaping @Sendable () -> [UInt8])
        -> CatalogueRow
    {
        var row = CatalogueRow("\"images/hero.png\"", "¦\"images/hero.png\"", code)
        row.others = others
        row.hero = bytes
        return row
    }

    /// A row about the good image with changes.
    static func image(
        _ code: String, _ others: String..., change: @escaping @Sendable (inout TestPNG) -> Void
    ) -> CatalogueRow {
        var row = CatalogueRow("\"images/hero.png\"", "¦\"images/hero.png\"", code)
        row.others = others
        row.hero = {
            var image = GoodCatalogue.hero
            change(&image)
            return image.bytes()
        }
        return row
    }

    /// The same with the mark in another place.
    func marking(_ marked: String) -> CatalogueRow {
        var row = self
        row.marked = marked
        return row
    }

    /// The same with a fault that the schema sees, though not all with this code.
    func seen() -> CatalogueRow {
        var row = self
        row.isSeenBySchema = true
        return row
    }

    /// The same with a fault that the schema does not see, though most with this code.
    func unseen() -> CatalogueRow {
        var row = self
        row.isSeenBySchema = false
        return row
    }

    var testDescription: String { "\(code) \(new.prefix(80))" }

    var wholeCode: String { code.contains(".") ? code : "catalogue.\(code)" }

    /// The wrong catalogue, and the line and column of the mark.
    func source() throws -> (text: String, line: Int, column: Int) {
        let good = GoodCatalogue.text
        let range = try #require(good.firstRange(of: old), "\(old) is not in the good catalogue")
        let changed = String(good[..<range.lowerBound] + new + good[range.upperBound...])
        let text = changed.replacing("¦", with: "")
        let parts = (marked ?? changed).split(separator: "¦", maxSplits: 1, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "no mark")
        let place = try #require(text.firstRange(of: parts.joined()), "\(parts.joined()) is not in the text")
        let before = text[..<place.lowerBound] + parts[0]
        // A line feed may be a part of a grapheme, and columns count code points.
        let lines = before.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return (text, lines.count, (lines.last?.count ?? 0) + 1)
    }

    /// The findings about the wrong catalogue.
    func findings() throws -> [Finding] {
        let folder = try GoodCatalogue.folder(hero: hero?())
        return GoodCatalogue.check(try source().text, in: folder, decodesAll: hero != nil).findings
    }
}
