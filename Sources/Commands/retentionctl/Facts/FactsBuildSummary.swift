internal import DataFiles
internal import JSON
internal import NotificationStore
internal import SubscriberHistory
internal import Vocabulary

/// What a build of facts did, as text and as JSON.
struct FactsBuildSummary {
    let path: String
    let refresh: HistoryRefresh.Report
    let now: Int64
    /// The app and the environment whose subscribers were looked for in the store.
    let app: String
    let environment: Environment
    /// The subscribers that the store has of them.
    let subscriberCount: Int
    /// Further subscribers, who have too many rows.
    let tooLargeCount: Int
    /// Further subscribers, whose facts an erasure has made outdated again and again.
    let outdatedCount: Int
    let unusableKeys: Int

    func show(json: Bool) throws(ToolFailure) {
        let file = try CompiledFacts.open(path, check: .structure)
        guard !json else {
            Console.print(
                pretty: .object(
                    CompiledFacts.json(of: file, path: path) + [
                        ("now", .integer(now)), ("full", .boolean(refresh.isFull)),
                        ("derived", .integer(Int64(refresh.derivedCount))),
                        ("subscribers", .integer(Int64(subscriberCount))),
                        ("unusableKeys", .integer(Int64(unusableKeys))),
                        ("tooManyRows", .integer(Int64(tooLargeCount))),
                        ("outdated", .integer(Int64(outdatedCount))),
                    ]
                )
            )
            return
        }
        Console.report(warnings, json: false)
        CompiledFacts.show(file, path: path)
        let subscribers = refresh.derivedCount == 1 ? "1 subscriber" : "\(refresh.derivedCount) subscribers"
        let kind = refresh.isFull ? "all" : "changed"
        Console.print("  derived     \(subscribers) (\(kind)), for \(CivilTime(milliseconds: now))")
    }

    private var warnings: [Finding] {
        var warnings: [Finding] = []
        func warn(_ reason: FactsBuildReason, _ message: String, hint: String? = nil) {
            warnings.append(
                Finding(code: reason.code, severity: .warning, message, hint: hint, file: path)
            )
        }
        if subscriberCount + tooLargeCount + outdatedCount == 0 {
            warn(
                .noSubscribers,
                "the store has nobody of \(app) in \(environment.rawValue)",
                hint: "they come from the schema, or from --bundle-id and --environment"
            )
        }
        if unusableKeys > 0 {
            warn(
                .unusableKeys,
                "\(unusableKeys) subscribers have an identifier that is no number; no request can name "
                    + "them"
            )
        }
        if tooLargeCount > 0 {
            warn(
                .tooManyRows,
                "\(tooLargeCount) subscribers have more than "
                    + "\(NotificationStore.subscriberRowCount) notifications, transactions or renewal infos; the file has "
                    + "no facts from the store about them"
            )
        }
        if outdatedCount > 0 {
            warn(
                .outdated,
                "erasures beside the build changed the histories of \(outdatedCount) subscribers again and again; the "
                    + "file has no facts from the store about them",
                hint: "build again when the erasure has ended"
            )
        }
        return warnings
    }
}
