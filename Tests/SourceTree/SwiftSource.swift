import Support
import Testing

/// One Swift file of the tree, as text.
struct SwiftSource: Sendable, CustomTestStringConvertible {
    /// The path below the checkout, such as `Sources/Platform/JSON/JSONValue.swift`.
    let path: String
    let lines: [String]
    /// The lines without comments and without texts between quotes.
    let code: [String]

    init(path: String, lines: [String]) {
        self.path = path
        self.lines = lines
        code = lines.map(Self.code(in:))
    }

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

    /// Returns a line without its comment and without texts between quotes.
    private static func code(in line: String) -> String {
        let (slash, backslash, quote) = (UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "\""))
        var bytes: [UInt8] = []
        var isQuoted = false
        var previous = UInt8(ascii: " ")
        for byte in line.utf8 {
            if byte == quote, previous != backslash { isQuoted.toggle() }
            if !isQuoted, byte == slash, previous == slash {
                bytes.removeLast()
                break
            }
            if !isQuoted { bytes.append(byte) }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func manifest() throws -> SwiftSource { try read("Package.swift") }

    /// Every Swift file below `Sources` and `Tests`. Many tests look at all of them, so they are read only once.
    private static let tree = Result {
        try ["Sources", "Tests"].flatMap(SourceFile.paths).filter { $0.hasSuffix(".swift") }.map(read)
    }

    /// Every Swift file below `folders`, which are `Sources`, `Tests` or folders in these.
    static func all(in folders: [String] = ["Sources", "Tests"]) throws -> [SwiftSource] {
        try tree.get().filter { source in folders.contains { source.path.hasPrefix($0 + "/") } }
    }

    private static func read(_ path: String) throws -> SwiftSource {
        let text = String(decoding: try SourceFile.read(SourceFile.root + "/" + path), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return SwiftSource(path: path, lines: lines.map(String.init))
    }
}
