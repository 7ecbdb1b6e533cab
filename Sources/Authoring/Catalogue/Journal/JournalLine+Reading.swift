internal import AppStoreServerAPI
internal import JSON
internal import Vocabulary

extension JournalLine {
    /// The reasons why the JSON text of a line cannot be understood.
    enum ReadingError: Error {
        /// The text is not what this program writes.
        case damaged
        /// A newer version wrote the text.
        case newer
    }

    /// Reads the JSON text of a line whose checksum is right.
    init(reading text: [UInt8]) throws(ReadingError) {
        let limits = JSONLimits(byteCount: Self.byteCount, depth: 2)
        guard let document = try? JSONDocument(parsing: text.span, limits: limits),
            let time = document.root.member("at")?.int64, time >= 0
        else { throw .damaged }
        self.time = time
        let root = document.root
        if let format = root.member("journal") {
            guard let number = format.int64, number >= Self.format else { throw .damaged }
            guard number == Self.format else { throw .newer }
            event = try Self.begun(root)
            return
        }
        guard let word = root.member("event")?.string else { throw .damaged }
        if let event = try Self.itemEvent(word, root) {
            self.event = event
        } else {
            event = try Self.defaultEvent(word, root)
        }
    }

    private static func begun(_ root: JSONValue) throws(ReadingError) -> JournalEvent {
        guard let app = root.member("app")?.string,
            let environment = root.member("environment")?.string.flatMap(Environment.init(rawValue:))
        else { throw .damaged }
        let server = root.member("server")?.string
        return .begun(JournalOwner(bundleId: app, environment: environment, server: server))
    }

    /// Returns nil for a word of another kind of event.
    private static func itemEvent(_ word: String, _ root: JSONValue) throws(ReadingError) -> JournalEvent? {
        func item() throws(ReadingError) -> CatalogueItem {
            guard let kind = root.member("kind")?.string.flatMap(CatalogueItem.Kind.init(rawValue:)),
                let identifier = root.member("id")?.string.flatMap(UUID.init(_:))
            else { throw .damaged }
            return CatalogueItem(kind, identifier)
        }
        func string(_ name: StaticString) throws(ReadingError) -> String {
            guard let text = root.member(name)?.string else { throw .damaged }
            return text
        }
        switch word {
        case "upload-started": return .uploadStarted(try item(), name: try string("name"))
        case "upload-done":
            guard let outcome = ChangeOutcome(rawValue: try string("outcome")) else { throw .damaged }
            return .uploadDone(try item(), outcome)
        case "delete-started": return .deleteStarted(try item())
        case "delete-done": return .deleteDone(try item())
        case "refused": return .refused(try item(), code: try string("code"))
        case "listed":
            guard let state = root.member("state") else { throw .damaged }
            if state.kind == .null { return .listed(try item(), nil) }
            return .listed(try item(), ReviewState(rawValue: try string("state")))
        default: return nil
        }
    }

    private static func defaultEvent(_ word: String, _ root: JSONValue) throws(ReadingError) -> JournalEvent {
        guard let product = root.member("product")?.string, let locale = root.member("locale")?.string,
            let value = root.member("id")
        else { throw .damaged }
        let place = ProductLocale(product: product, locale: locale)
        if word == "default-asked", value.kind == .null { return .defaultAsked(place, nil) }
        guard let identifier = value.string.flatMap(UUID.init(_:)) else { throw .damaged }
        switch word {
        case "default-started": return .defaultStarted(place, identifier)
        case "default-set": return .defaultSet(place, identifier)
        case "default-refused": return .defaultRefused(place, identifier)
        case "default-asked": return .defaultAsked(place, identifier)
        default: throw .damaged
        }
    }
}
