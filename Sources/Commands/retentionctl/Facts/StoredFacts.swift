internal import Authoring
internal import CommandLineTool
internal import Facts
internal import NotificationStore
internal import SubscriberHistory
internal import System

/// Makes the rows of a facts file from the payloads of each subscriber in the store, joined with the operator's own table.
struct StoredFacts {
    let store: NotificationStore
    let app: String
    let environment: String
    /// The time for which the facts hold, milliseconds since 1970.
    let now: Int64
    let columns: FactColumns
    let table: MergedFacts?

    /// The rows, and what was done for them.
    struct Result: ~Copyable {
        fileprivate var rows: FactsBuilder
        /// The subscribers of the store.
        fileprivate(set) var subscriberCount = 0
        /// The subscribers who have too many rows, and so no facts and no row in the file.
        fileprivate(set) var tooLargeCount = 0
        /// The subscribers whose identifier cannot be a key of a facts file.
        fileprivate(set) var unusableKeyCount = 0

        consuming func takeRows() -> FactsBuilder { rows }
    }

    /// Makes a row for each subscriber of the store or the table.
    func run(_ progress: FactsProgress) throws -> Result {
        var result = Result(
            rows: FactsBuilder(
                columns: columns.schema.facts.map { FactsBuilder.Column(name: $0.name, kind: $0.type.kind) }
            )
        )
        var keys: Set<UInt64> = []
        let histories = try ToolError.about(store.address.description) {
            try StoredHistories(store, app: app, environment: environment)
        }
        var after: String?
        repeat {
            let page = try ToolError.about(store.address.description) { try histories.page(after: after) }
            for rows in page.subscribers { try add(rows, histories, to: &result, &keys) }
            progress.derived(result.subscriberCount)
            after = page.next
        } while after != nil
        if let table {
            for row in table.file.rows {
                guard let key = table.file.key(of: row), !keys.contains(key) else { continue }
                try add(key, nil, to: &result.rows)
            }
        }
        return result
    }

    /// Makes the row of a subscriber of the store.
    private func add(
        _ rows: SubscriberRows, _ histories: StoredHistories, to result: inout Result,
        _ keys: inout Set<UInt64>
    ) throws {
        let payloads: SubscriberPayloads
        do throws(NotificationStoreError) {
            payloads = try histories.payloads(rows)
        } catch .tooManyRows {
            result.tooLargeCount += 1
            return
        } catch {
            throw ToolError(error, file: store.address.description)
        }
        // Without a payload that Apple has signed, nothing is known of the subscriber.
        guard payloads.newest != nil else { return }
        result.subscriberCount += 1
        guard let key = FactsKey.parse(decimal: rows.originalTransactionID) else {
            result.unusableKeyCount += 1
            return
        }
        if table != nil { keys.insert(key) }
        try add(key, HistoryFacts(payloads, now: now, listsEvidence: false), to: &result.rows)
    }

    /// Adds a row with facts from the store, if there are any, and those of the table.
    private func add(_ key: UInt64, _ facts: HistoryFacts?, to rows: inout FactsBuilder) throws {
        let row = table?.file.find(key)
        for (column, source) in columns.sources.enumerated() {
            func own() -> HistoryValue? { row.flatMap { tableValue(column, $0) } }
            let value: HistoryValue? =
                switch source {
                case .store(let fact): facts?[fact].value
                case .table: own()
                case .both(let fact, preferred: .store): facts?[fact].value ?? own()
                case .both(let fact, preferred: .table): own() ?? facts?[fact].value
                }
            if let value { try set(value, column, &rows) }
        }
        rows.commit(key: key, line: 0)
    }

    private func set(_ value: HistoryValue, _ column: Int, _ rows: inout FactsBuilder) throws {
        switch value {
        case .boolean(let flag): rows.set(flag ? 1 : 0, column: column)
        case .integer(let number), .date(let number): rows.set(number, column: column)
        case .string(let text):
            let bytes = text.utf8Span.span
            guard !rows.setKnown(bytes, column: column) else { return }
            try rows.set(bytes, column: column)
        }
    }

    private func tableValue(_ column: Int, _ row: FactsRow) -> HistoryValue? {
        guard let file = table?.file else { return nil }
        switch columns.schema.facts[column].type.kind {
        case .boolean: return file.boolean(column: column, row: row).map(HistoryValue.boolean)
        case .integer: return file.integer(column: column, row: row).map(HistoryValue.integer)
        case .date: return file.date(column: column, row: row).map(HistoryValue.date)
        case .string: return file.string(column: column, row: row).map(HistoryValue.string)
        }
    }
}

/// The operator's own table, compiled into memory, in which rows are found by their keys.
struct MergedFacts {
    let file: FactsFile
    /// The names of the schema that have a value in some row.
    let names: Set<String>

    /// Takes the table that was read from `path`.
    ///
    /// - Throws: a key that occurs twice.
    init(_ table: consuming FactsCompiler.Table, path: String, schema: FactsSchema) throws {
        names = Set(schema.facts.map(\.name)).subtracting(table.alwaysMissing)
        var output = MemoryOutput()
        let making = FactsFileIdentity(
            appAppleId: 1, environment: .production,
            stamp: DataFileStamp(builtAtMilliseconds: 0, writerVersion: ""))
        do {
            try FactsCompiler.write(table.takeRows(), making, to: &output)
            file = try FactsFile(bytes: output.bytes, check: .structure)
        } catch {
            throw ToolError(error, file: path)
        }
    }
}
