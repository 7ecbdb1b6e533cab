internal import System
public import Testing

/// A page of the manual, whose generated parts stand between `<!-- name -->` and `<!-- end -->`.
public enum ManualPage {
    /// The folder of the pages, below the checkout.
    public static let folder = "Sources/Manual"

    /// The whole text of a page.
    public static func text(_ page: String) throws -> String {
        String(decoding: try SourceFile.read("\(SourceFile.root)/\(folder)/\(page)"), as: UTF8.self)
    }

    /// Compares a generated part of a page with `text`. With UPDATE_GOLDEN in the environment the part is rewritten
    /// instead, and the test fails.
    public static func check(
        _ text: String, in page: String, part: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try check(text, path: "\(folder)/\(page)", part: part, sourceLocation: sourceLocation)
    }

    /// Compares a generated part of any file below the checkout with `text`, in the same way.
    public static func check(
        _ text: String, path: String, part: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let whole = String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
        let mark = "<!-- \(part) -->\n"
        let begin = try #require(whole.ranges(of: mark).first, sourceLocation: sourceLocation)
        let rest = whole[begin.upperBound...]
        let end = try #require(rest.ranges(of: "<!-- end -->").first, sourceLocation: sourceLocation)
        let changed = whole[..<begin.upperBound] + text + whole[end.lowerBound...]
        try GoldenFile.check(String(changed), path, sourceLocation: sourceLocation)
    }

    /// Returns a list of definitions in Markdown. Unlike a table, it stays readable when a term or its text is long.
    public static func list(_ entries: [(term: String, text: String)]) -> String {
        entries.map { "\($0.term)\n:   \($0.text)\n\n" }.joined()
    }

    /// Returns a table in Markdown; `widths` are the columns' shares of the width of a page.
    public static func table(_ head: [String], widths: [Int], _ rows: [[String]]) -> String {
        let lines = [head, widths.map { String(repeating: "-", count: $0) }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
