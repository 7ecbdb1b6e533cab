import Testing

/// A change to a good text, and a golden list of what is found in the texts with such changes.
package struct TextChange: Sendable {
    package var old = ""
    package var new = ""

    package init(old: String, new: String) {
        self.old = old
        self.new = new
    }

    /// Reads the changes of a file: `-` begins the lines of the text that is replaced, and `+` those that stand there instead.
    package static func read(_ path: String) throws -> [TextChange] {
        let text = String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
        let changes = text.split(separator: "\n\n").dropFirst().map { block in
            func text(_ mark: Character) -> String {
                block.split(separator: "\n").filter { $0.first == mark }.map { $0.dropFirst(2) }
                    .joined(separator: "\n")
            }
            return TextChange(old: text("-"), new: text("+"))
        }
        try #require(changes.count > 10)
        return changes
    }

    /// Replaces the first occurrence.
    package func applied(to good: String) throws -> String {
        let range = try #require(good.firstRange(of: old), "\(old) is not in the good text")
        return String(good[..<range.lowerBound] + new + good[range.upperBound...])
    }

    /// The change in a golden list, with what is found.
    package func text(_ found: [String]) -> String {
        "- \(old)\n+ \(new.prefix(200))\n" + found.map { "    \($0)\n" }.joined()
    }
}
