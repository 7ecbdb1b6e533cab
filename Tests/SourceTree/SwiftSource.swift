import Support
import Testing

/// One Swift file of the tree, as text.
struct SwiftSource: Sendable, CustomTestStringConvertible {
    /// The path below the checkout, such as `Sources/Platform/JSON/JSONValue.swift`.
    let path: String
    let lines: [String]

    var testDescription: String { path }

    /// The floor and the target that the path names, such as `Platform` and `JSON`; nil outside `Sources`.
    var place: (floor: String, target: String)? {
        let parts = path.split(separator: "/")
        guard parts.count >= 4, parts[0] == "Sources" else { return nil }
        return (String(parts[1]), String(parts[2]))
    }

    /// The modules that the file imports.
    var imports: [String] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            let modifiers = ["internal", "public", "package", "private", "@testable"]
            guard let position = words.firstIndex(of: "import"), words.count > position + 1,
                words[..<position].allSatisfy({ modifiers.contains(String($0)) })
            else { return nil }
            return String(words[position + 1])
        }
    }

    /// Every function, initialiser and deinitialiser with the number of lines from its first to its closing brace.
    var functions: [(name: String, line: Int, lineCount: Int)] {
        var found: [(String, Int, Int)] = []
        for (start, line) in code.enumerated() where Self.startsFunction(line) {
            var depth = 0
            var isOpen = false
            for index in start..<code.count {
                for character in code[index] {
                    if character == "{" { depth += 1 }
                    if character == "}" { depth -= 1 }
                    isOpen = isOpen || depth > 0
                }
                if isOpen, depth <= 0 {
                    found.append(
                        (line.trimmingPrefix { $0 == " " }.description, start + 1, index - start + 1)
                    )
                    break
                }
                // A requirement of a protocol has no body.
                if !isOpen, index > start, Self.startsFunction(code[index]) { break }
            }
        }
        return found
    }

    /// The lines without comments and without texts between quotes.
    var code: [String] {
        lines.map { line in
            var text = ""
            var isQuoted = false
            var previous: Character = " "
            for character in line {
                if character == "\"", previous != "\\" { isQuoted.toggle() }
                if !isQuoted, character == "/", previous == "/" {
                    text.removeLast()
                    break
                }
                if !isQuoted { text.append(character) }
                previous = character
            }
            return text
        }
    }

    private static func startsFunction(_ line: String) -> Bool {
        let words = line.split(whereSeparator: { " (<?!".contains($0) })
        return words.contains("func")
            || words.contains("init") && line.contains("init")
                && !line.contains(".init")
            || words.first == "deinit"
    }

    /// Package.swift.
    static func manifest() throws -> SwiftSource { try read("Package.swift") }

    /// Every Swift file below `folders`.
    static func all(in folders: [String] = ["Sources", "Tests"]) throws -> [SwiftSource] {
        try folders.flatMap { folder in
            try SourceFile.paths(below: folder).filter { $0.hasSuffix(".swift") }.map(read)
        }
    }

    private static func read(_ path: String) throws -> SwiftSource {
        let text = String(decoding: try SourceFile.read(SourceFile.root + "/" + path), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return SwiftSource(path: path, lines: lines.map(String.init))
    }
}
