internal import AppStoreServerAPI
public import JSON
internal import Vocabulary

extension CataloguePlan.Orphan {
    /// The orphan in a few words.
    var title: String {
        "\(item.kind.rawValue) \(item.identifier)" + (name.map { " (\($0))" } ?? "") + ", \(state.rawValue)"
    }

    /// The orphan as a JSON object.
    var json: JSONNode {
        .object(
            item.json + [("state", .string(state.rawValue)), ("name", name.map { .string($0) } ?? .null)]
        )
    }
}

extension PrunePlan.Kept {
    /// The orphan and who names it, as a line for a terminal.
    public var text: String { "  = \(orphan.title), named by \(users.joined(separator: ", "))" }
}

extension PrunePlan {
    /// The plan as lines for a terminal.
    public var text: [String] {
        var text = deletions.map { "  - \($0.title)" }
        text += kept.map(\.text)
        if deletions.isEmpty { text.append("Nothing to delete.") }
        return text
    }

    /// The number of messages and images that are deleted, for people.
    public var deletionText: String {
        let images = deletions.count { $0.item.kind == .image }
        let counts = [(deletions.count - images, "message"), (images, "image")].filter { $0.0 > 0 }
        return counts.map { CountText.of($0.0, $0.1) }.joined(separator: " and ")
    }

    /// The plan and what became of it as a JSON object.
    public func json(_ report: CataloguePrune.Report) -> JSONNode {
        .object([
            ("deletions", .array(deletions.map(\.json))),
            (
                "kept",
                .array(
                    kept.map { kept in
                        .object([
                            ("orphan", kept.orphan.json), ("users", .array(kept.users.map { .string($0) })),
                        ])
                    }
                )
            ),
            ("deleted", .array(report.deleted.map(\.json))),
            ("inUse", .array(report.inUse.map(\.json))),
            (
                "refused",
                .array(
                    report.refused.map { refusal in
                        .object([
                            ("orphan", refusal.orphan.json), ("code", .string(refusal.code)),
                            ("message", .string(refusal.message)),
                        ])
                    }
                )
            ),
            ("failure", report.failure.map(\.json) ?? .null),
        ])
    }
}

extension CataloguePrune.Report {
    /// The report as lines for a terminal.
    public var text: [String] {
        ["Deleted: \(deleted.count)."] + inUse.map { "  = \($0.title), named by a message that stays" }
            + refused.map { "  ! \($0.orphan.title): \($0.code): \($0.message)" }
    }
}
