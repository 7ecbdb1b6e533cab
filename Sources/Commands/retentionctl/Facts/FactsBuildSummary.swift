internal import DataFiles
internal import JSON
internal import NotificationStore
internal import Vocabulary

/// What a build of facts did, as text and as JSON.
struct FactsBuildSummary {
    let path: String
    let now: Int64
    /// The app and the environment whose subscribers were looked for in the store.
    let app: String
    let environment: Environment
    /// The subscribers that the store has of them.
    let subscriberCount: Int
    /// Further subscribers, who have too many rows.
    let tooLargeCount: Int
    let unusableKeys: Int

    func show(json: Bool) throws(ToolFailure) {
        let file = try CompiledFacts.open(path, check: .structure)
        guard !json else {
            Console.print(
                pretty: .object(
                    CompiledFacts.json(of: file, path: path) + [
                        ("now", .integer(now)), ("subscribers", .integer(Int64(subscriberCount))),
                        ("unusableKeys", .integer(Int64(unusableKeys))),
                        ("tooManyRows", .integer(Int64(tooLargeCount))),
                    ]
                )
            )
            return
        }
        Console.report(warnings, json: false)
        CompiledFacts.show(file, path: path)
        let subscribers = subscriberCount == 1 ? "1 subscriber" : "\(subscriberCount) subscribers"
        Console.print("  derived     \(subscribers), for \(CivilTime(milliseconds: now))")
    }

    private var warnings: [Finding] {
        var warnings: [Finding] = []
        func warn(_ reason: FactsBuildReason, _ message: String, hint: String? = nil) {
            warnings.append(Finding(code: reason.code, severity: .warning, message, hint: hint, file: path))
        }
        if subscriberCount + tooLargeCount == 0 {
            warn(
                .noSubscribers, "the store has nobody of \(app) in \(environment.rawValue)",
                hint: "they come from the schema, or from --bundle-id and --environment")
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
        return warnings
    }
}
