internal import AppStoreServerAPI
internal import Catalogue
internal import System
internal import Vocabulary

/// Apple's server for one app in one environment, and the journal of what was sent to it.
struct AppleConnection {
    let session: AppleSession
    /// The directory of the journal.
    let state: String

    init(_ session: AppleSession, state: String) {
        self.session = session
        self.state = state
    }

    var owner: JournalOwner { JournalOwner(bundleId: session.credentials.bundleId, server: session.server) }

    /// Opens the journal for writing.
    func journal() throws(CatalogueJournalError) -> CatalogueJournal {
        try CatalogueJournal(directory: state, owner: owner, now: Clock.wallMilliseconds())
    }

    /// Opens the journal for writing if that is possible. When another process writes to it, or the directory cannot be
    /// written, this returns a journal with the same knowledge that keeps nothing.
    func journalIfPossible() throws(CatalogueJournalError) -> CatalogueJournal {
        do throws(CatalogueJournalError) {
            return try journal()
        } catch {
            switch error {
            case .locked, .file: break
            default: throw error
            }
            return CatalogueJournal(knowledge: try CatalogueJournal.knowledge(directory: state, owner: owner))
        }
    }

    /// Reads what the journal for Sandbox knows; nil when it is not known which server has the Sandbox of another server than
    /// Apple's.
    func sandboxKnowledge() throws -> JournalKnowledge? {
        let isApple = owner.server == nil
        let server = try AppStoreServer(
            environment: .sandbox, baseURL: isApple ? nil : session.server.baseURL)
        let sandbox = JournalOwner(bundleId: session.credentials.bundleId, server: server)
        guard isApple || (try? FileStatus(path: "\(state)/\(sandbox.fileName)")) != nil else { return nil }
        return try CatalogueJournal.knowledge(directory: state, owner: sandbox)
    }

    /// Asks Apple for its lists, and records what has changed.
    func inventory(_ journal: CatalogueJournal, asksURL: Bool = false) throws -> AppleInventory {
        let inventory = try AppleInventory(asking: session.client, asksURL: asksURL)
        try journal.record(inventory, at: Clock.wallMilliseconds())
        return inventory
    }

    /// Asks Apple for default messages, one after the other.
    func refresh(_ journal: CatalogueJournal, _ places: [ProductLocale]) throws {
        let refresh = DefaultRefresh(session.client, journal: journal, now: Clock.wallMilliseconds)
        try refresh.run(places) { done, all in
            Console.progress("asking for default messages: \(done) of \(all)")
        }
        Console.endProgress()
    }
}

extension JournalOwner {
    /// Names an app at a server. Apple's own server has no address in the name.
    init(bundleId: String, server: AppStoreServer) {
        let apple = try? AppStoreServer(environment: server.environment)
        self.init(
            bundleId: bundleId, environment: server.environment,
            server: server == apple ? nil : server.baseURL)
    }
}
