internal import Authoring
internal import CommandLineTool
internal import Facts
internal import NotificationStore
internal import Rules
internal import SubscriberHistory
internal import System

struct StoredFacts {
    let store: NotificationStore
    let app: String
    let environment: String
    let now: Int64
    let columns: FactColumns
    let table: MergedFacts?

    struct Result: ~Copyable {
        fileprivate var rows: FactsBuilder
        fileprivate(set) var subscriberCount = 0
        /// The subscribers who have too many rows, and so no facts and no row in the file.
        fileprivate(set) var tooLargeCount = 0
        fileprivate(set) var unusableKeyCount = 0

        consuming func takeRows() -> FactsBuilder { rows }
    }

    func run() throws -> Result {
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
            Console.progress("derived \(result.subscriberCount) subscribers")
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
        try add(key, HistoryFacts(payloads, now: now), to: &result.rows)
    }

    private func add(_ key: UInt64, _ facts: HistoryFacts?, to rows: inout FactsBuilder) throws {
        let row = table?.file.find(key)
        for (column, source) in columns.sources.enumerated() {
            func own() -> FactValue? { row.flatMap { table?.file.value(column, $0) } }
            let value: FactValue? =
                switch source {
                case .store(let fact): facts?[fact].value
                case .table: own()
                case .both(let fact, preferred: .store): facts?[fact].value ?? own()
                case .both(let fact, preferred: .table): own() ?? facts?[fact].value
                }
            if case .string(let text)? = value {
                let bytes = text.utf8Span.span
                if !rows.setKnown(bytes, column: column) { try rows.set(bytes, column: column) }
            } else if let value {
                rows.set(value.number, column: column)
            }
        }
        rows.commit(key: key, line: 0)
    }
}

/// The operator's own table, compiled into memory, in which rows are found by their keys.
struct MergedFacts {
    let file: FactsFile
    let names: Set<String>

    /// Takes the table that was read from `path`. A key that occurs twice is an error.
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

struct FactColumns {
    enum Source: Equatable {
        case store(SubscriberFact)
        case table
        /// Both; the preferred one counts for a subscriber of whom it has a value, or else the other one.
        case both(SubscriberFact, preferred: FactsBuild.Preference)
    }

    let schema: FactsSchema
    let sources: [Source]

    /// Finds the sources. `table` has the names in the operator's own table that have a value in some row.
    init(_ schema: FactsSchema, file: String, table: Set<String>, prefer: FactsBuild.Preference?) throws {
        var findings: [Finding] = []
        func report(code: String, _ message: String, hint: String? = nil) {
            findings.append(Finding(code: code, message, hint: hint, file: file))
        }
        var sources: [Source] = []
        for fact in schema.facts {
            let derived = SubscriberFact(name: fact.name)
            switch (derived, table.contains(fact.name)) {
            case (let derived?, true) where prefer == nil:
                report(
                    code: "facts.in-both", "the store and the table both have \(derived.name)",
                    hint: "say --prefer store or --prefer table, or rename the column")
            case (let derived?, true):
                let fault = Self.fault(of: fact.type, for: derived)
                // A table that is preferred may have another type. The store then has no value that fits.
                if let fault, prefer != .table { report(code: "facts.type-differs", fault) }
                let own = prefer.map { Source.both(derived, preferred: $0) }
                sources.append(fault == nil ? own ?? .table : .table)
            case (nil, true): sources.append(.table)
            case (let derived?, _):
                if let fault = Self.fault(of: fact.type, for: derived) {
                    report(code: "facts.type-differs", fault)
                }
                sources.append(.store(derived))
            case (nil, false):
                report(
                    code: "facts.no-source",
                    "neither the store nor a table has \(fact.name)",
                    hint: Spelling.nearest(to: fact.name, among: SubscriberFact.allCases.map(\.name))
                        .map { "there is \"\($0)\"" } ?? "give a table that has it"
                )
            }
        }
        guard findings.isEmpty else { throw ToolError(findings) }
        self.schema = schema
        self.sources = sources
    }

    private static func fault(of type: FactType, for fact: SubscriberFact) -> String? {
        guard let own = FactType(fact.type) else { return nil }
        guard own.kind == type.kind else { return "\(fact.name) is \(fact.type)" }
        guard case .enumeration(let allowed) = type else { return nil }
        guard case .enumeration(let values) = own else {
            return "\(fact.name) is \(fact.type): Apple may add values"
        }
        let lacking = values.filter { !allowed.contains($0) }
        return lacking.isEmpty ? nil : "\(fact.name) may also be \(lacking.joined(separator: ", "))"
    }
}
