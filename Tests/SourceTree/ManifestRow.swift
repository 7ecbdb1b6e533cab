import Testing

/// A row of one of the tables in Package.swift: a target, its place, and its imports.
struct ManifestRow: Sendable, CustomTestStringConvertible {
    /// The floor of the target, or its folder.
    let place: String
    let name: String
    let uses: Set<String>
    var testDescription: String { name }

    /// The folder of the target's sources.
    var folder: String { place.hasPrefix("Tests/") ? place : "Sources/\(place)/\(name)" }

    /// Returns the rows of the table with the given name. A table without rows is an error of this function.
    static func all(of table: String) throws -> [ManifestRow] {
        let lines = try SwiftSource.manifest().lines
        let start = try #require(lines.firstIndex(of: "let \(table) = \"\"\""), "no table \(table)")
        var rows: [ManifestRow] = []
        var text = ""
        for line in lines[(start + 1)...] {
            if line.hasSuffix("\"\"\"") { break }
            text += line.hasSuffix("\\") ? line.dropLast() : line[...]
            if line.hasSuffix("\\") { continue }
            let words = text.split(separator: " ").map(String.init)
            rows.append(
                ManifestRow(place: words[0], name: String(words[1].dropLast()), uses: Set(words.dropFirst(2)))
            )
            text = ""
        }
        try #require(!rows.isEmpty)
        return rows
    }
}
