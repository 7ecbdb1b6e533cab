internal import CommandLineTool
internal import JSON
internal import Rules
internal import System

/// What differs between two rules sources. A rule is named by its id, an arm and a test by its name.
struct RulesDifference {
    /// A value with its path, such as `rules[annual_upsell].serve.switch`, as JSON; nil where it is missing.
    private var changes: [(path: String, old: String?, new: String?)] = []

    init(from old: [UInt8], to new: [UInt8]) {
        compare(Self.node(old), Self.node(new), "")
    }

    private static func node(_ source: [UInt8]) -> JSONNode {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        let document = try? JSONDocument(parsing: source.withoutByteOrderMark.span, limits: limits)
        return document.map { JSONNode($0.root) } ?? .null
    }

    /// The changes as text, at most so many lines; the last one counts the others.
    func lines(limit: Int) -> [String] {
        func shown(_ text: String) -> String { text.count > 100 ? "\(text.prefix(100))…" : text }
        let lines = changes.prefix(limit).map { path, old, new in
            switch (old, new) {
            case (let old?, let new?): "~ \(path): \(shown(old)) -> \(shown(new))"
            case (let old?, nil): "- \(path): \(shown(old))"
            case (nil, let new): "+ \(path): \(shown(new ?? ""))"
            }
        }
        let rest = changes.count - lines.count
        return rest > 0 ? lines + ["and \(rest) more"] : lines
    }

    var json: JSONNode {
        .array(
            changes.map { path, old, new in
                .object([("path", .string(path)), ("old", JSONNode(old)), ("new", JSONNode(new))])
            })
    }

    private mutating func compare(_ old: JSONNode?, _ new: JSONNode?, _ path: String) {
        guard let before = old.flatMap(Self.members), let after = new.flatMap(Self.members) else {
            let texts = [old, new].map { $0.map { String(decoding: $0.serialized(), as: UTF8.self) } }
            if texts[0] != texts[1] { changes.append((path, texts[0], texts[1])) }
            return
        }
        var isList = false
        if case .array? = new { isList = true }
        let values = [before, after].map { Dictionary($0) { first, _ in first } }
        for name in after.map(\.0) + before.map(\.0).filter({ values[1][$0] == nil }) {
            let place = isList ? "\(path)[\(name)]" : path.isEmpty ? name : "\(path).\(name)"
            compare(values[0][name], values[1][name], place)
        }
        let order = [before, after].map { members in
            members.map(\.0).filter { values[0][$0] != nil && values[1][$0] != nil }
        }
        guard isList, order[0] != order[1] else { return }
        let texts = order.map { $0.joined(separator: ", ") }
        changes.append(("\(path): order", texts[0], texts[1]))
    }

    /// The members of an object, or of an array whose elements all have names of their own; nil for another value.
    private static func members(_ node: JSONNode) -> [(String, JSONNode)]? {
        guard case .array(let elements) = node else {
            if case .object(let members) = node { return members }
            return nil
        }
        let named = elements.compactMap { element -> (String, JSONNode)? in
            guard case .object(let members) = element,
                case .string(let name)? = members.first(where: { $0.0 == "id" || $0.0 == "name" })?.1
            else { return nil }
            return (name, element)
        }
        return named.count == elements.count && Set(named.map(\.0)).count == elements.count ? named : nil
    }
}
