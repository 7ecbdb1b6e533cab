internal import JSON
internal import Rules
package import System

/// The text of a rules source with the files that it includes: `"include": ["shared.json"]`.
///
/// An included file is an object with some of ``sections``. Its members and elements stand before those of the source, as
/// if the author had written them there; a name that is in both is an error. An included file includes no others.
package struct RulesText {
    package static let sections = ["products", "facts", "messages", "segments", "rules", "tests"]

    /// The whole text. Every line comes from one file and has its columns.
    package private(set) var bytes: [UInt8] = []
    /// From which line of ``bytes`` on the lines are those of a file, and by how much their numbers differ there.
    private var runs: [(firstLine: Int, file: String?, shift: Int)] = []
    private var line = 1

    private struct Included {
        let file: String
        let text: ArraySlice<UInt8>
        let start: JSONPosition
    }

    /// Combines a source with the files that it includes, which it names from `directory` on. `read` returns a file's text.
    ///
    /// - Throws: what `read` throws; a ``RulesSourceError`` about a file that cannot be included.
    package init(_ source: [UInt8], directory: String, read: (String) throws -> [UInt8]) throws {
        let source = source.withoutByteOrderMark
        // Whoever reads the text reports what is wrong with the source itself.
        guard let document = try? JSONDocument(parsing: source.span, limits: Self.limits),
            let names = document.root.member("include")?.elements.compactMap(\.string), !names.isEmpty,
            let root = JSONOutline(of: source)
        else {
            bytes = source
            return
        }
        var included: [String: [Included]] = [:]
        for name in names {
            let file = name.hasPrefix("/") || directory == "." ? name : "\(directory)/\(name)"
            for (section, member) in try Self.included(of: try read(file), file) {
                included[section, default: []].append(member)
            }
        }
        combine(source, root, included)
    }

    private static let limits = JSONLimits(
        byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)

    private static func included(of text: [UInt8], _ file: String) throws -> [(
        section: String, included: Included
    )] {
        let text = text.withoutByteOrderMark
        func refusal(_ finding: Finding) -> RulesSourceError {
            RulesSourceError(findings: [finding.inFile(file)])
        }
        let document = try JSONError.mapped(
            to: { refusal(Finding($0)) }, try JSONDocument(parsing: text.span, limits: limits))
        let findings = Findings(source: text, subject: "rules", limit: RulesSourceLimits.findingCount)
        let root = SourceValue(document.root, path: [], findings)
        if root.isObject { root.checkKeys(Keys(["$schema"] + sections)) }
        guard findings.isEmpty else {
            throw RulesSourceError(findings: findings.sorted.map { $0.inFile(file) })
        }
        return sections.compactMap { section in
            guard let place = JSONOutline(of: text)?.members[section], let first = place.first else {
                return nil
            }
            let start = JSONPosition(byteOffset: first, in: text.span)
            return (section, Included(file: file, text: text[first..<place.end], start: start))
        }
    }

    private mutating func combine(_ source: [UInt8], _ root: JSONOutline, _ included: [String: [Included]]) {
        runs = [(1, nil, 0)]
        let places = Self.sections.filter { included[$0] != nil }.map { section in
            (section, root.members[section], root.members[section].map(\.start) ?? root.start)
        }
        var copied = 0
        for (section, own, start) in places.sorted(by: { $0.2 < $1.2 }) {
            append(source[copied...start])
            copied = start + 1
            let isList = section == "rules" || section == "tests"
            if own == nil { append(Array("\"\(section)\": \(isList ? "[" : "{")".utf8)[...]) }
            for (index, member) in (included[section] ?? []).enumerated() {
                if index > 0 { append([UInt8(ascii: ",")]) }
                begin(member.file, member.start)
                append(member.text)
            }
            if own == nil { append([UInt8(ascii: isList ? "]" : "}")]) }
            if own == nil || own?.first != nil { append([UInt8(ascii: ",")]) }
            begin(nil, JSONPosition(byteOffset: copied, in: source.span))
        }
        append(source[copied...])
    }

    private mutating func begin(_ file: String?, _ place: JSONPosition) {
        append([UInt8(ascii: "\n")])
        append([UInt8](repeating: 0x20, count: place.column - 1)[...])
        runs.append((line, file, line - place.line))
    }

    private mutating func append(_ text: ArraySlice<UInt8>) {
        bytes += text
        line += text.count { $0 == UInt8(ascii: "\n") }
    }

    package func placed(_ finding: Finding, _ path: String) -> Finding {
        guard let line = finding.line, let run = runs.last(where: { $0.firstLine <= line }) else {
            return finding.inFile(finding.file ?? path)
        }
        var placed = finding.inFile(run.file ?? path)
        placed.line = line - run.shift
        return placed
    }
}
