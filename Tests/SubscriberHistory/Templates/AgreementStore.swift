import NotificationStore
import SubscriberHistory
import Support
import System
import Testing

/// A store with the payloads of random subscribers, and `retentionctl facts build`, which makes facts files of it.
struct AgreementStore {
    private let folder: TemporaryDirectory
    private let store: NotificationStore

    init(_ lives: [(payloads: SubscriberPayloads, suffix: String)]) throws {
        folder = try TemporaryDirectory()
        var options = StoreOptions(access: .create)
        options.waitsForDisk = false
        store = try NotificationStore(StoreAddress("sqlite:\(folder.path(of: "store.db"))"), options)
        let desk = try DeliveryDesk()
        let items = try store.noteSynchronizations(
            among: lives.flatMap { desk.deliveries(of: $0.payloads, suffix: $0.suffix) }
        )
        for start in stride(from: 0, to: items.count, by: 500) {
            let outcomes = store.store(Array(items[start..<min(start + 500, items.count)]))
            try #require(outcomes.allSatisfy { $0.isSettled })
        }
    }

    func payloads(of id: String) throws -> SubscriberPayloads {
        try StoredHistories(store, app: DeliveryDesk.app, environment: DeliveryDesk.environment)
            .payloads(of: id) ?? SubscriberPayloads()
    }

    /// Has the tool make a facts file of a time with the facts of a template.
    func facts(for template: Template, at now: Int64, app: Int64) throws -> [UInt8] {
        try folder.write(template.source, to: "rules.json")
        let run = try ProgramRun.run(
            ProgramRun.product("retentionctl"),
            [
                "facts", "build", "--store", "sqlite:\(folder.path(of: "store.db"))", "--schema",
                folder.path(of: "rules.json"), "--app", "\(app)", "--bundle-id", DeliveryDesk.app,
                "--environment",
                DeliveryDesk.environment, "--now", "\(now)", "-o", folder.path(of: "\(template.name).facts"),
            ]
        )
        try #require(run.status == 0, "\(run.errors)")
        return try folder.read("\(template.name).facts")
    }
}
