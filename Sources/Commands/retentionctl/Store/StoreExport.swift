internal import ArgumentParser
internal import CommandLineTool
internal import Cryptography
internal import FoundationEssentials
internal import NotificationStore
internal import System

struct StoreExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes everything that the store has as lines of JSON.",
        discussion: """
            `store import` takes the lines over, also into the other database system. A line has a JWS as Apple signed it \
            and when and how it came, or something that belongs to the store as a whole: tombstones, the ranges that \
            `notifications recover` has finished, and the last notification that each receiver has. Others can write \
            meanwhile; what they write may be in the export or not.

            The lines have identifiers of subscribers. A subscriber who is erased later stays in the file. A row that is \
            damaged is left out and reported, the lines then promise no ranges and no whole histories, and the command ends \
            with 65.

            Example:
              retentionctl store export -o notifications.ndjson \\
                --store sqlite:/var/lib/retentiond/store/notifications.db
            """
    )

    @Option(name: .shortAndLong, help: "The file to write; standard output if absent.", completion: .file())
    var output: String?

    @OptionGroup var selection: StoreSelection

    func run() throws {
        if let output { try OutputPaths.check(writing: [output], reading: try selection.inputs()) }
        var reading = StoreReading(store: try selection.open(.read))
        var count = 0
        if let output {
            var lines = try ToolError.about(output) { try ExportFile(path: output) }
            try reading.forEach { record in
                try ToolError.about(output) { try lines.add(record.line()) }
                count += 1
            }
            do { try lines.finish() } catch { throw ToolError(error, file: output) }
        } else {
            try reading.forEach { Console.print(bytes: try $0.line() + [UInt8(ascii: "\n")]) }
        }
        guard reading.damaged.isEmpty else {
            let findings = reading.damaged.prefix(100).map { row in
                Finding(code: NotificationStoreError.incompleteRow.code, "\(row.kind.rawValue) \(row.id)")
            }
            throw ToolError(Array(findings))
        }
        if let output { Console.log("\(output): \(count) lines") }
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
        let block = waiting
        try writer.append(block.span)
        waiting.removeAll(keepingCapacity: true)
    }

    consuming func finish() throws {
        let block = waiting
        try writer.append(block.span)
        try writer.commit()
    }
}

/// Reads everything that a store has, page by page, in an order in which another store can take it over.
struct StoreReading {
    let store: NotificationStore
    private(set) var damaged: [(kind: StoredJWS.Kind, id: Int64)] = []

    mutating func forEach(_ body: (StoreRecord) throws -> Void) throws {
        // First, so that no range is promised whose notifications were read before they were stored.
        let promises = try coverage() + synchronizations()
        let cursors = try cursors()
        try body(StoreRecord(format: StoreRecord.formatName, version: StoreRecord.formatVersion))
        try tombstones(body)
        // Parts come before the notifications that have them, so that they keep their own source and time of receipt.
        for kind in [StoredJWS.Kind.transaction, .renewal, .appTransaction, .notification] {
            try forEachJWS(kind, body)
        }
        // A row that is left out may be one on which a promise relies. A place of forwarding promises nothing about it.
        for record in (damaged.isEmpty ? promises : []) + cursors { try body(record) }
    }

    private func coverage() throws -> [StoreRecord] {
        try store.coveredApps().flatMap { place in
            try store.coverage(app: place.app, environment: place.environment).map {
                StoreRecord(
                    environment: place.environment, coverage: place.app, from: $0.range.from, to: $0.range.to,
                    finishedAt: $0.finishedAt)
            }
        }
    }

    private func synchronizations() throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        var after: Int64? = 0
        while let place = after {
            let page = try store.synchronizations(after: place)
            records += page.rows.map {
                StoreRecord(
                    app: $0.app, environment: $0.environment, synchronized: $0.originalTransactionID,
                    at: $0.at)
            }
            after = page.next
        }
        return records
    }

    private func cursors() throws -> [StoreRecord] {
        try store.cursorNames().compactMap { name in
            guard name.hasPrefix(StoreCursor.forwardPrefix), let cursor = try store.cursor(named: name),
                let row = try store.notifications(
                    NotificationFilter(), StorePage(.descending, after: cursor.position + 1, count: 1)
                ).rows.first
            else { return nil }
            let last = StoreRecord.Identity(
                app: row.app, environment: row.environment, notificationUUID: row.uuid)
            return StoreRecord(cursor: name, after: last)
        }
    }

    private func tombstones(_ body: (StoreRecord) throws -> Void) throws {
        var page = try store.tombstones()
        for key in page.keys { try body(StoreRecord(tombstoneKey: Hexadecimal.encode(key.span))) }
        while let last = page.entries.last {
            for entry in page.entries {
                let hash = Hexadecimal.encode(entry.hash.span)
                try body(StoreRecord(tombstone: hash, erasedAt: entry.erasedAt))
            }
            page = try store.tombstones(after: last.hash)
        }
    }

    private mutating func forEachJWS(_ kind: StoredJWS.Kind, _ body: (StoreRecord) throws -> Void) throws {
        try store.forEach(kind) { row in
            guard let jws = row.jws else { return damaged.append((kind, row.id)) }
            var record = StoreRecord(
                source: StoreSource(rawValue: row.source) ?? .import, receivedAt: row.receivedAt,
                app: row.app,
                environment: row.environment)
            record[kind] = String(decoding: jws, as: UTF8.self)
            try body(record)
        }
    }
}

extension NotificationStore {
    /// Reads all rows of a kind page by page.
    func forEach(_ kind: StoredJWS.Kind, _ body: (StoredJWS) throws -> Void) throws {
        var after: Int64? = 0
        while let place = after {
            let page = try jws(kind, after: place)
            for row in page.rows { try body(row) }
            if let last = page.rows.last { Console.progress("\(kind.rawValue) \(last.id)") }
            after = page.next
        }
    }
}

/// One line of an export, with the members of one kind of thing that a store has.
struct StoreRecord: Codable {
    /// A notification has another number in another store, so its identity stands for the number.
    struct Identity: Codable {
        let app, environment, notificationUUID: String
    }

    var format: String?
    var version: Int64?
    var signedPayload: String?
    // A JWS of the store, with what its signature does not cover.
    var notification, transaction, renewal, appTransaction: String?
    var source: StoreSource?
    var receivedAt: Int64?
    var app, environment: String?
    var tombstoneKey, tombstone: String?
    var erasedAt: Int64?
    var coverage: String?
    var from, to, finishedAt: Int64?
    var synchronized: String?
    var at: Int64?
    var cursor: String?
    /// The last notification that a receiver has. An export of an older release has none for other work.
    var after: Identity?

    static let formatName = "retention-notifications"
    /// The version of the format that this release writes, and the greatest that it reads.
    static let formatVersion: Int64 = 1

    subscript(kind: StoredJWS.Kind) -> String? {
        get { self[keyPath: Self.path(of: kind)] }
        set { self[keyPath: Self.path(of: kind)] = newValue }
    }

    private static func path(of kind: StoredJWS.Kind) -> WritableKeyPath<StoreRecord, String?> {
        switch kind {
        case .notification: \.notification
        case .transaction: \.transaction
        case .renewal: \.renewal
        case .appTransaction: \.appTransaction
        }
    }

    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
