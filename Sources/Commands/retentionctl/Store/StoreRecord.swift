internal import Cryptography
internal import JSON
internal import NotificationStore
internal import Vocabulary

/// One line of an export: something that a store has, in a form that another store can take over.
enum StoreRecord {
    /// The first line: the format.
    case format(version: Int64)
    /// A key of the hashes of erased subscribers.
    case tombstoneKey([UInt8])
    /// An erased subscriber.
    case tombstone(hash: [UInt8], erasedAt: Int64)
    case jws(StoreRecordJWS)
    /// A range of time for which the store has everything.
    case coverage(app: String, environment: String, TimeRange, finishedAt: Int64)
    /// A subscription whose whole history the store has.
    case synchronization(originalTransactionID: String, app: String, environment: String, at: Int64)
    /// The place up to which some work has come, with the notification that it passed on last. A notification has another
    /// number in another store, so its identity stands for the number.
    case cursor(name: String, StoreCursor, last: StoredNotification.Identity?)

    /// The version of the format that this release writes, and the greatest that it reads.
    static let formatVersion: Int64 = 1

    /// True for the place up to which notifications were passed on to a receiver.
    var isForwardPlace: Bool {
        if case .cursor(let name, _, _) = self { name.hasPrefix(StoreCursor.forwardPrefix) } else { false }
    }

    /// The line, without a line feed.
    var line: [UInt8] { JSONNode.object(members).serialized() }

    private var members: [(String, JSONNode)] {
        switch self {
        case .format(let version):
            [("format", .string("retention-notifications")), ("version", .integer(version))]
        case .tombstoneKey(let key): [("tombstoneKey", .string(Hexadecimal.encode(key.span)))]
        case .tombstone(let hash, let time):
            [("tombstone", .string(Hexadecimal.encode(hash.span))), ("erasedAt", .integer(time))]
        case .jws(let record): record.members
        case .coverage(let app, let environment, let range, let finishedAt):
            [
                ("coverage", .string(app)), ("environment", .string(environment)),
                ("from", .integer(range.from)),
                ("to", .integer(range.to)), ("finishedAt", .integer(finishedAt)),
            ]
        case .synchronization(let id, let app, let environment, let time):
            [
                ("synchronized", .string(id)), ("app", .string(app)), ("environment", .string(environment)),
                ("at", .integer(time)),
            ]
        case .cursor(let name, let cursor, let last):
            [("cursor", .string(name))]
                + (last.map { [("after", Self.node($0))] } ?? [("position", .integer(cursor.position))])
                + (cursor.detail.map { [("detail", .string($0))] } ?? [])
        }
    }

    private static func node(_ identity: StoredNotification.Identity) -> JSONNode {
        .object([
            ("app", .string(identity.app)), ("environment", .string(identity.environment)),
            ("notificationUUID", .string(identity.uuid)),
        ])
    }

    /// Reads a line of an export, a request body as Apple sends it, or a bare JWS.
    ///
    /// - Throws: `store.bad-line`, `store.newer-export`.
    init(line: [UInt8], receivedAt now: Int64) throws(StoreToolError) {
        guard line.first == UInt8(ascii: "{") else {
            self = .jws(.init(kind: .notification, jws: line, source: .import, receivedAt: now))
            return
        }
        let limits = JSONLimits(byteCount: StoreImport.lineByteCount, depth: 8)
        guard let document = try? JSONDocument(parsing: line.span, limits: limits),
            let record = Self(document.root, receivedAt: now)
        else { throw .badLine }
        if case .format(let version) = record, version > Self.formatVersion { throw .newerExport }
        self = record
    }

    private init?(_ root: JSONValue, receivedAt now: Int64) {
        if let text = root.member("signedPayload")?.string {
            self = .jws(.init(kind: .notification, jws: Array(text.utf8), source: .import, receivedAt: now))
        } else if let format = root.member("format")?.string {
            guard format == "retention-notifications", let version = root.member("version")?.int64,
                version > 0
            else { return nil }
            self = .format(version: version)
        } else if let text = root.member("tombstoneKey")?.string {
            guard let key = Hexadecimal.decode(text), key.count == 32 else { return nil }
            self = .tombstoneKey(key)
        } else if let text = root.member("tombstone")?.string {
            guard let hash = Hexadecimal.decode(text), hash.count == 32,
                let time = root.member("erasedAt")?.int64
            else { return nil }
            self = .tombstone(hash: hash, erasedAt: time)
        } else if let app = root.member("coverage")?.string {
            guard let environment = root.member("environment")?.string, let from = root.member("from")?.int64,
                let to = root.member("to")?.int64, from < to, let end = root.member("finishedAt")?.int64
            else { return nil }
            self = .coverage(
                app: app, environment: environment, TimeRange(from: from, to: to), finishedAt: end)
        } else if let id = root.member("synchronized")?.string {
            guard let app = root.member("app")?.string, let environment = root.member("environment")?.string,
                let time = root.member("at")?.int64
            else { return nil }
            self = .synchronization(originalTransactionID: id, app: app, environment: environment, at: time)
        } else if let name = root.member("cursor")?.string {
            self.init(cursor: name, root)
        } else {
            guard let record = StoreRecordJWS(root) else { return nil }
            self = .jws(record)
        }
    }

    private init?(cursor name: String, _ root: JSONValue) {
        var cursor = StoreCursor(position: 0, detail: root.member("detail")?.string)
        guard let after = root.member("after") else {
            guard let position = root.member("position")?.int64 else { return nil }
            cursor.position = position
            self = .cursor(name: name, cursor, last: nil)
            return
        }
        guard after.kind == .object, let app = after.member("app")?.string,
            let environment = after.member("environment")?.string,
            let uuid = after.member("notificationUUID")?.string
        else { return nil }
        self = .cursor(name: name, cursor, last: .init(app: app, environment: environment, uuid: uuid))
    }
}

/// A JWS in an export, with what its signature does not cover.
struct StoreRecordJWS {
    let kind: StoredJWS.Kind
    let jws: [UInt8]
    /// The app and the environment of the row; nil for a notification that did not come from a store.
    var place: (app: String, environment: String)?
    let source: StoreSource
    let receivedAt: Int64

    init(
        kind: StoredJWS.Kind, jws: [UInt8], place: (app: String, environment: String)? = nil,
        source: StoreSource, receivedAt: Int64
    ) {
        self.kind = kind
        self.jws = jws
        self.place = place
        self.source = source
        self.receivedAt = receivedAt
    }

    /// Reads an object with the member `notification`, `transaction`, `renewal` or `appTransaction`.
    init?(_ root: JSONValue) {
        guard root.kind == .object,
            let kind = StoredJWS.Kind.allCases.first(where: { root.member(named: $0.rawValue) != nil }),
            let text = root.member(named: kind.rawValue)?.string,
            let app = root.member("app")?.string, let environment = root.member("environment")?.string,
            let source = root.member("source")?.string.flatMap({ StoreSource(rawValue: $0) }),
            let time = root.member("receivedAt")?.int64
        else { return nil }
        self.init(
            kind: kind, jws: Array(text.utf8), place: (app, environment), source: source, receivedAt: time)
    }

    fileprivate var members: [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [(kind.rawValue, .string(String(decoding: jws, as: UTF8.self)))]
        if let place {
            members += [("app", .string(place.app)), ("environment", .string(place.environment))]
        }
        return members + [("source", .string(source.rawValue)), ("receivedAt", .integer(receivedAt))]
    }
}
