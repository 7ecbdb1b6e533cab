internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import JSON
internal import NotificationStore
internal import System

struct StoreExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes everything that the store has as lines of JSON.",
        discussion: """
            `store import` takes the lines over, also into the other database system. A line has a JWS as Apple signed it \
            and when and how it came, or something that belongs to the store as a whole: tombstones, the ranges that \
            `notifications recover` has finished, and the places up to which other work has come. Others can write \
            meanwhile; what they write may be in the export or not.

            The lines have identifiers of subscribers. A subscriber who is erased later stays in the file. A row that is \
            damaged is left out and reported, the lines then promise no ranges and no whole histories, and the command ends \
            with 65.

            Example:
              retentionctl store export -o notifications.ndjson \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write; standard output if absent.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup var selection: StoreSelection

    func run() throws {
        if let output { try OutputPaths.check(writing: [output], reading: try selection.inputs()) }
        var reading = StoreReading(try selection.open(.read))
        var count = 0
        if let output {
            var lines = try ToolError.about(output) { try ExportFile(path: output) }
            try reading.forEach { record in
                try ToolError.about(output) { try lines.add(record.line) }
                count += 1
            }
            do { try lines.finish() } catch { throw ToolError(error, file: output) }
        } else {
            try reading.forEach { Console.print(bytes: $0.line + [UInt8(ascii: "\n")]) }
        }
        guard reading.damaged.isEmpty else {
            let findings = reading.damaged.prefix(100).map { row in
                Finding(code: NotificationStoreError.incompleteRow.code, "\(row.kind.rawValue) \(row.id)")
            }
            throw ToolError(Array(findings))
        }
        if let output { Console.note("\(output): \(count) lines") }
    }
}

private struct ExportFile: ~Copyable {
    private var writer: AtomicFileWriter
    private var waiting: [UInt8] = []

    init(path: String) throws {
        writer = try AtomicFileWriter(path: path, permissions: 0o600)
    }

    mutating func add(_ line: [UInt8]) throws {
        waiting += line
        waiting.append(UInt8(ascii: "\n"))
        guard waiting.count >= 1 << 20 else { return }
        let piece = waiting
        try writer.append(piece.span)
        waiting.removeAll(keepingCapacity: true)
    }

    consuming func finish() throws {
        let piece = waiting
        try writer.append(piece.span)
        try writer.commit()
    }
}

/// Reads everything that a store has, page by page, in an order in which another store can take it over.
struct StoreReading {
    let store: NotificationStore
    private(set) var damaged: [(kind: StoredJWS.Kind, id: Int64)] = []

    init(_ store: NotificationStore) {
        self.store = store
    }

    /// Calls `body` for each record. What is stored meanwhile may be among them or not.
    mutating func forEach(_ body: (StoreRecord) throws -> Void) throws {
        // First, so that no range is promised whose notifications were read before they were stored.
        let coverage = try coverage()
        let cursors = try cursors()
        let synchronized = try synchronizations()
        try body(.format(version: StoreRecord.formatVersion))
        try tombstones(body)
        // Parts come before the notifications that have them, so that they keep their own source and time of receipt.
        for kind in [StoredJWS.Kind.transaction, .renewal, .appTransaction, .notification] {
            try forEachJWS(kind, body)
        }
        // A row that is left out may be one on which a promise relies. A place of forwarding promises nothing about it.
        let rest = damaged.isEmpty ? coverage + synchronized + cursors : cursors.filter(\.isForwardPlace)
        for record in rest { try body(record) }
    }

    private func coverage() throws -> [StoreRecord] {
        try store.coveredApps().flatMap { place in
            try store.coverage(app: place.app, environment: place.environment).map {
                .coverage(app: place.app, environment: place.environment, $0.range, finishedAt: $0.finishedAt)
            }
        }
    }

    private func synchronizations() throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        var after: Int64 = 0
        while true {
            let page = try store.synchronizations(after: after)
            records += page.rows.map {
                .synchronization(
                    originalTransactionID: $0.originalTransactionID, app: $0.app, environment: $0.environment,
                    at: $0.at)
            }
            guard let next = page.next else { return records }
            after = next
        }
    }

    private func cursors() throws -> [StoreRecord] {
        try store.cursorNames().compactMap { name in
            guard let cursor = try store.cursor(named: name) else { return nil }
            guard name.hasPrefix(StoreCursor.forwardPrefix) else {
                return .cursor(name: name, cursor, last: nil)
            }
            let page = StorePage(.descending, after: cursor.position + 1, count: 1)
            let row = try store.notifications(NotificationFilter(), page).rows.first
            let last = row.map {
                StoredNotification.Identity(app: $0.app, environment: $0.environment, uuid: $0.uuid)
            }
            // Nothing up to the position is left: the position says nothing about another store.
            return .cursor(name: name, StoreCursor(position: 0, detail: cursor.detail), last: last)
        }
    }

    private func tombstones(_ body: (StoreRecord) throws -> Void) throws {
        var page = try store.tombstones()
        for key in page.keys { try body(.tombstoneKey(key)) }
        while let last = page.entries.last {
            for entry in page.entries { try body(.tombstone(hash: entry.hash, erasedAt: entry.erasedAt)) }
            page = try store.tombstones(after: last.hash)
        }
    }

    private mutating func forEachJWS(_ kind: StoredJWS.Kind, _ body: (StoreRecord) throws -> Void) throws {
        var after: Int64? = 0
        while let place = after {
            let page = try store.jws(kind, after: place)
            for row in page.rows {
                guard let jws = row.jws else {
                    damaged.append((kind, row.id))
                    continue
                }
                try body(
                    .jws(
                        StoreRecordJWS(
                            kind: kind, jws: jws, place: (row.app, row.environment),
                            source: StoreSource(rawValue: row.source) ?? .import, receivedAt: row.receivedAt)
                    )
                )
            }
            after = page.next
        }
    }
}

/// One line of an export: something that a store has, in a form that another store can take over.
enum StoreRecord {
    case format(version: Int64)
    case tombstoneKey([UInt8])
    case tombstone(hash: [UInt8], erasedAt: Int64)
    case jws(StoreRecordJWS)
    case coverage(app: String, environment: String, TimeRange, finishedAt: Int64)
    case synchronization(originalTransactionID: String, app: String, environment: String, at: Int64)
    /// The place up to which some work has come, with the notification that it passed on last. A notification has another
    /// number in another store, so its identity stands for the number.
    case cursor(name: String, StoreCursor, last: StoredNotification.Identity?)

    /// The version of the format that this release writes, and the greatest that it reads.
    static let formatVersion: Int64 = 1

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
    init?(line: [UInt8], receivedAt now: Int64) {
        guard line.first == UInt8(ascii: "{") else {
            self = .jws(.init(kind: .notification, jws: line, source: .import, receivedAt: now))
            return
        }
        let limits = JSONLimits(byteCount: StoreImport.lineByteCount, depth: 8)
        guard let document = try? JSONDocument(parsing: line.span, limits: limits) else { return nil }
        self.init(document.root, receivedAt: now)
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
