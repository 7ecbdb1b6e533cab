internal import JSON
internal import Rules

/// What differs between two rules sources: every value, found by its path.
///
/// A rule is named by its id, an arm and a test by its name, so that a new rule at the front does not change all others.
struct RulesDifference {
    /// A value that is in only one of the sources, or is different in them.
    struct Change: Hashable {
        /// Where the value stands: `rules[annual_upsell].serve.switch`.
        let path: String
        /// The old value as JSON; nil for a value that is new.
        let old: String?
        /// The new value as JSON; nil for a value that is gone.
        let new: String?
    }

    /// The changes, in the order of the sources; what is gone from an object stands behind what it has now.
    private(set) var changes: [Change] = []

    /// Compares the texts of two rules sources that can be read.
    init(from old: [UInt8], to new: [UInt8]) {
        compare(Self.node(old), Self.node(new), "")
    }

    private static func node(_ source: [UInt8]) -> JSONNode {
        let limits = JSONLimits(
            byteCount: RulesSourceLimits.sourceByteCount, depth: RulesSourceLimits.jsonDepth)
        let document = try? JSONDocument(parsing: source.withoutByteOrderMark.span, limits: limits)
        return document.map { JSONNode($0.root) } ?? .null
    }

    /// The longest part of a value that ``lines(limit:)`` shows.
    private static let shownCount = 100

    /// The changes as text, one on each line.
    ///
    /// - Parameter limit: the most lines; the last one counts the others.
    /// - Returns: the lines, which begin with `+`, `-` or `~`.
    func lines(limit: Int) -> [String] {
        let lines = changes.prefix(limit).map { change in
            switch (change.old, change.new) {
            case (let old?, let new?): "~ \(change.path): \(Self.shown(old)) -> \(Self.shown(new))"
            case (let old?, nil): "- \(change.path): \(Self.shown(old))"
            case (_, let new): "+ \(change.path): \(Self.shown(new ?? ""))"
            }
        }
        let rest = changes.count - lines.count
        return rest > 0 ? lines + ["and \(rest) more"] : lines
    }

    var json: JSONNode {
        .array(
            changes.map { change in
                .object([
                    ("path", .string(change.path)), ("old", change.old.map { .string($0) } ?? .null),
                    ("new", change.new.map { .string($0) } ?? .null),
                ])
            }
        )
    }

    private static func shown(_ text: String) -> String {
        text.count > shownCount ? "\(text.prefix(shownCount))…" : text
    }

    private static func text(_ node: JSONNode) -> String {
        String(decoding: node.serialized(), as: UTF8.self)
    }

    private mutating func compare(_ old: JSONNode, _ new: JSONNode, _ path: String) {
        let (before, after) = (Parts(old), Parts(new))
        guard let before, let after else {
            let (before, after) = (Self.text(old), Self.text(new))
            if before != after { changes.append(Change(path: path, old: before, new: after)) }
            return
        }
        let isList = before.isList || after.isList
        func place(_ name: String) -> String {
            isList ? "\(path)[\(name)]" : path.isEmpty ? name : "\(path).\(name)"
        }
        for (name, value) in after.members {
            if let other = before.values[name] {
                compare(other, value, place(name))
            } else {
                changes.append(Change(path: place(name), old: nil, new: Self.text(value)))
            }
        }
        for (name, value) in before.members where after.values[name] == nil {
            changes.append(Change(path: place(name), old: Self.text(value), new: nil))
        }
        guard isList else { return }
        let order = [before, after].map { one in
            one.members.map(\.name).filter { before.values[$0] != nil && after.values[$0] != nil }
        }
        guard order[0] != order[1] else { return }
        let texts = order.map { $0.joined(separator: ", ") }
        changes.append(Change(path: "\(path): order", old: texts[0], new: texts[1]))
    }

    /// The parts of an object, or of an array whose elements all have names of their own.
    private struct Parts {
        let members: [(name: String, value: JSONNode)]
        let values: [String: JSONNode]
        let isList: Bool

        init?(_ node: JSONNode) {
            switch node {
            case .object(let members):
                self.members = members.map { ($0.0, $0.1) }
                isList = false
            case .array(let elements):
                var members: [(name: String, value: JSONNode)] = []
                for element in elements {
                    guard let name = Self.name(of: element) else { return nil }
                    members.append((name, element))
                }
                self.members = members
                isList = true
            default: return nil
            }
            values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
            guard values.count == members.count else { return nil }
        }

        private static func name(of element: JSONNode) -> String? {
            guard case .object(let members) = element else { return nil }
            for key in ["id", "name"] {
                if case .string(let name)? = members.first(where: { $0.0 == key })?.1 { return name }
            }
            return nil
        }
    }
}
