internal import DataFileWriting
internal import DataFiles
internal import FactsCompiler
internal import NotificationStore
internal import SubscriberHistory
internal import Vocabulary

/// Makes the rows of a facts file from the states of subscribers in the store, joined with the operator's own table.
struct StoredFacts {
    let store: NotificationStore
    let app: String
    let environment: String
    /// The time for which the facts hold, milliseconds since 1970.
    let now: Int64
    let columns: FactColumns
    let table: MergedFacts?

    /// What a program that makes facts adds to the niceness (nice(2)) with which it was started: as much as a recorder, which may
    /// write the same store and goes first.
    static let niceness: Int32 = 10

    /// The rows, and what was done for them.
    struct Result: ~Copyable {
        fileprivate var rows: FactsBuilder
        fileprivate(set) var refresh = HistoryRefresh.Report()
        /// The subscribers of the store.
        fileprivate(set) var subscriberCount = 0
        /// The subscribers who have too many rows, and so no facts and no row in the file.
        fileprivate(set) var tooLargeCount = 0
        /// The subscribers whose facts an erasure beside the build has made outdated again and again, and who have no row.
        fileprivate(set) var outdatedCount = 0
        /// The subscribers whose identifier cannot be a key of a facts file.
        fileprivate(set) var unusableKeyCount = 0

        consuming func takeRows() -> FactsBuilder { rows }
    }

    private var history: HistoryRefresh {
        var refresh = HistoryRefresh(store, app: app, environment: environment)
        refresh.givesWay = true
        return refresh
    }

    /// Brings the states up to date and makes a row for each subscriber of the store or the table.
    func run(isFull: Bool, _ progress: FactsProgress) throws(ToolFailure) -> Result {
        var result = Result(
            rows: FactsBuilder(
                columns: columns.schema.facts.map { FactsBuilder.Column(name: $0.name, kind: $0.type.kind) }
            )
        )
        var keys: Set<UInt64> = []
        var outdated: [String] = []
        // Until all states are read, because another build may delete them.
        let lock = try perform { () throws(NotificationStoreError) in try history.lock() }
        result.refresh = try perform { () throws(NotificationStoreError) in
            try history.run(isFull: isFull, holding: lock) { progress.derived($0.derivedCount) }
        }
        let covered = try perform { () throws(NotificationStoreError) in try history.covered() }
        var reading = StateReading(history, at: now, covered: covered)
        while let pages = try perform({ () throws(NotificationStoreError) in try reading.next(holding: lock) }
        ) {
            for page in pages {
                try add(page, to: &result, &keys)
                outdated += page.outdatedIDs
            }
            progress.taken(result.rows.rowCount)
        }
        let derived = try perform { () throws(NotificationStoreError) in
            try history.derive(outdated: outdated, holding: lock)
        }
        try add(StateFacts(derived, at: now, covered: covered), to: &result, &keys)
        result.outdatedCount = derived.outdatedIDs.count
        try NotificationStoreError.mapped(
            to: { ToolFailure($0, file: store.address.description) },
            giving: lock
        ) { lock throws(NotificationStoreError) in try lock.release() }
        if let table {
            for row in table.file.rows {
                guard let key = table.file.key(of: row), !keys.contains(key) else { continue }
                try add(key, to: &result.rows) { _, _, _ in false }
            }
        }
        return result
    }

    /// Makes the rows of subscribers with these facts.
    private func add(
        _ page: StateFacts,
        to result: inout Result,
        _ keys: inout Set<UInt64>
    ) throws(ToolFailure) {
        result.tooLargeCount += page.tooLargeCount
        result.subscriberCount += page.subscribers.count
        let others = try othersFacts(of: page)
        for (id, stored) in page.subscribers {
            guard let key = FactsKey.parse(decimal: id) else {
                result.unusableKeyCount += 1
                continue
            }
            if table != nil { keys.insert(key) }
            try add(key, to: &result.rows) { fact, column, rows throws(ToolFailure) in
                if let stored { return try set(fact, of: stored, column, &rows) }
                return try set(others[id]?[fact].value, column, &rows)
            }
        }
    }

    /// Derives the facts of those subscribers whose states say nothing of the time: the first piece begins later than `now`, or
    /// the state is damaged.
    private func othersFacts(of page: StateFacts) throws(ToolFailure) -> [String: HistoryFacts] {
        let ids = page.subscribers.filter { $0.facts == nil }.map(\.originalTransactionID)
        return try perform { () throws(NotificationStoreError) in
            try history.facts(of: ids, at: now)
        }
    }

    private func perform<Value: ~Copyable>(
        _ body: () throws(NotificationStoreError) -> Value
    ) throws(ToolFailure) -> Value {
        try NotificationStoreError.mapped(
            to: { ToolFailure($0, file: store.address.description) },
            try body()
        )
    }

    /// Adds a row. `setFact` sets the value of a fact from the store in a column, and returns false when there is none.
    private func add(
        _ key: UInt64,
        to rows: inout FactsBuilder,
        setFact: (SubscriberFact, Int, inout FactsBuilder) throws(ToolFailure) -> Bool
    ) throws(ToolFailure) {
        let row = table?.file.find(key)
        func setOwn(_ column: Int, _ rows: inout FactsBuilder) throws(ToolFailure) -> Bool {
            try set(row.flatMap { tableValue(column, $0) }, column, &rows)
        }
        for (column, source) in columns.sources.enumerated() {
            switch source {
            case .store(let fact): _ = try setFact(fact, column, &rows)
            case .table: _ = try setOwn(column, &rows)
            case .both(let fact, preferred: .store):
                if try !setFact(fact, column, &rows) { _ = try setOwn(column, &rows) }
            case .both(let fact, preferred: .table):
                if try !setOwn(column, &rows) { _ = try setFact(fact, column, &rows) }
            }
        }
        rows.commit(key: key, line: 0)
    }

    /// Sets a fact of a state. Returns false when it is missing.
    private func set(
        _ fact: SubscriberFact,
        of piece: StoredPiece,
        _ column: Int,
        _ rows: inout FactsBuilder
    ) throws(ToolFailure) -> Bool {
        if let number = piece.number(fact) {
            rows.set(number, column: column)
            return true
        }
        return try piece.withText(fact) { bytes throws(ToolFailure) in
            if !rows.setKnown(bytes, column: column) { _ = try set(piece.value(fact), column, &rows) }
            return true
        } ?? false
    }

    /// Sets a value. Returns false when there is none.
    private func set(_ value: HistoryValue?, _ column: Int, _ rows: inout FactsBuilder)
        throws(ToolFailure) -> Bool
    {
        switch value {
        case nil: return false
        case .boolean(let flag): rows.set(flag ? 1 : 0, column: column)
        case .integer(let number), .date(let number): rows.set(number, column: column)
        case .string(let text):
            let bytes = text.utf8Span.span
            guard !rows.setKnown(bytes, column: column) else { return true }
            try FactsBuildError.mapped(to: { ToolFailure($0) }, try rows.set(bytes, column: column))
        }
        return true
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
