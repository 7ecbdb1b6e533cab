internal import JSON
internal import Vocabulary

/// Moves findings about a catalogue that nobody has seen yet to the entries of the map from which it was made.
struct AdoptionFindings {
    private let positions: JSONPositions
    /// The place in the map of everything in the catalogue that comes from the map.
    private var places: [String: JSONPath] = [:]

    init(_ map: AdoptionMap) {
        positions = JSONPositions(source: map.source)
        for image in map.images { places["images.\(image.name)"] = image.path }
        for message in map.messages {
            places["messages.\(message.name).\(message.locale)"] = message.path
            // What is wrong with a message as a whole is shown at its first entry.
            if places["messages.\(message.name)"] == nil { places["messages.\(message.name)"] = message.path }
        }
    }

    /// Throws the errors among findings about the catalogue, with their places in the map.
    func check(_ findings: [Finding]) throws(CatalogueError) {
        let errors = findings.filter { $0.severity == .error }
        guard errors.isEmpty else { throw CatalogueError(findings: errors.map(moved)) }
    }

    private func moved(_ finding: Finding) -> Finding {
        var finding = finding
        finding.line = nil
        finding.column = nil
        let isKey = finding.code == "catalogue.\(CatalogueReason.unknownKey.rawValue)"
        guard let (path, position) = place(of: finding.path, isKey: isKey) else {
            finding.message = "\(finding.path): \(finding.message)"
            return finding
        }
        finding.path = path
        finding.line = position.line
        finding.column = position.column
        return finding
    }

    /// Returns the place in the map of a path in the catalogue: that of the same member of the entry, or that of the entry.
    private func place(of path: String, isKey: Bool) -> (path: String, position: JSONPosition)? {
        var head = path[...]
        while places[String(head)] == nil {
            guard let end = head.lastIndex(where: { $0 == "." || $0 == "[" }) else { return nil }
            head = head[..<end]
        }
        guard let entry = places[String(head)] else { return nil }
        let rest = entry + Self.components(path[head.endIndex...])
        if let position = isKey ? positions.key(at: rest) : positions.value(at: rest) {
            return (rest.text, position)
        }
        return positions.value(at: entry).map { (entry.text, $0) }
    }

    /// Reads the end of a path, such as `.bulletPoints[0].text`.
    private static func components(_ text: Substring) -> JSONPath {
        text.split(whereSeparator: { $0 == "." || $0 == "[" }).map { part in
            part.last == "]"
                ? Int(part.dropLast()).map { .index($0) } ?? .member(String(part)) : .member(String(part))
        }
    }
}
