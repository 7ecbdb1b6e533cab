internal import CPostgreSQL
internal import Glibc

/// A session on a PostgreSQL server.
///
/// After an error that leaves the session in an unknown state the connection is closed, and every later call throws
/// `sql.connection-lost`. Make a new connection then.
package final class PostgreSQLConnection: SQLConnection {
    package let dialect = SQLDialect.postgreSQL
    private var link: PostgreSQLLink?
    private var names: [SQLText: String] = [:]
    private let answerMilliseconds: Int64

    /// Connects, logs in and sets the session's limits. The address may name several servers, and with
    /// `target_session_attrs` the one that is wanted. Throws `sql.bad-address`, `sql.unreachable`, `sql.timed-out`,
    /// `sql.denied`, `sql.too-many-connections`, `sql.schema` when the server has no database of that name.
    package init(address: String, _ options: PostgreSQLOptions = PostgreSQLOptions()) throws(SQLError) {
        answerMilliseconds = options.answerMilliseconds
        link = try Self.connect(address, options)
        var settings = [
            ("lock_timeout", "\(options.lockMilliseconds)"),
            // A host that vanished inside of a transaction must not hold its locks.
            ("idle_in_transaction_session_timeout", "\(options.answerMilliseconds * 2)"),
        ]
        if let limit = options.statementMilliseconds { settings.append(("statement_timeout", "\(limit)")) }
        if options.isReadOnly { settings.append(("default_transaction_read_only", "on")) }
        for (name, value) in settings {
            _ = try query("SELECT set_config(?, ?, false)", [.text(name), .text(value)])
        }
    }

    /// Connects to the first server that answers and is as wanted. libpq goes on to the next one after an error, but waits for
    /// a server that says nothing, so such a wait ends after its share of the time, and an attempt without the first one follows.
    private static func connect(_ address: String, _ options: PostgreSQLOptions) throws(SQLError)
        -> PostgreSQLLink
    {
        let servers = try PostgreSQLAddress(address)
        let share = PostgreSQLOptions.connectMilliseconds / Int64(servers.serverCount)
        var leftOut = 0
        while true {
            let entries =
                [("dbname", address)] + servers.entries(without: leftOut) + [
                    ("client_encoding", "UTF8"), ("application_name", "retention"),
                ]
            do throws(SQLError) {
                return try PostgreSQLLink(entries, until: PostgreSQLLink.end(after: share))
            } catch {
                leftOut += 1
                guard error.fault == .timedOut, leftOut < servers.serverCount else { throw error }
            }
        }
    }

    package var isOpen: Bool { link?.isInStep ?? false }

    @discardableResult
    package func run(_ text: SQLText, forEach rows: [[SQLValue]]) throws(SQLError) -> [Int] {
        guard !rows.isEmpty else { return [] }
        guard rows.count > 1 else { return [try single(text, rows[0]) { $0.changedCount }] }
        return try guarded { (link, end) throws(SQLError) in
            let name = try prepare(text, link, end)
            try link.beginPipeline()
            for values in rows { try link.sendRun(name: name, values) }
            try link.sendSync()
            let counts = try Self.takeAll(rows.count, link, end)
            try link.endPipeline()
            return try counts.get()
        }
    }

    package func query(_ text: SQLText, _ values: [SQLValue]) throws(SQLError) -> [SQLRow] {
        try single(text, values) { result throws(SQLError) in try result.rows() }
    }

    package func begin(isWriting: Bool) throws(SQLError) {
        // Whatever the default of the role or the database is: a statement after a wait for a lock must see what was committed
        // meanwhile.
        let text: SQLText = "BEGIN ISOLATION LEVEL READ COMMITTED"
        try run(isWriting ? text : text + ", READ ONLY")
    }

    package func commit() throws(SQLError) {
        let command: String
        let warningCount = link?.warningCount
        do throws(SQLError) {
            command = try single("COMMIT", [], isAboutRows: true) { $0.command }
        } catch {
            rollback()
            let isUnsure = error.fault == .connectionLost || error.fault == .timedOut
            throw isUnsure ? SQLError(.commitUnsure, detail: error.detail) : error
        }
        // A COMMIT of a transaction in which a statement failed is answered with ROLLBACK.
        guard command == "COMMIT" else { throw SQLError(.refused, detail: "the server rolled back") }
        // Somebody ended the wait for a standby: the transaction may be on this server alone.
        guard link?.warningCount == warningCount else {
            throw SQLError(.commitUnsure, detail: "the server warned that it did not wait")
        }
    }

    package func rollback() {
        guard let open = link, !open.isIdle else { return }
        do throws(SQLError) {
            try run("ROLLBACK")
        } catch {
            link = nil
        }
    }

    /// Runs a statement with one row of values, and reads its result. `isAboutRows` is true for a statement that has no values
    /// and meets rows all the same.
    private func single<Value>(
        _ text: SQLText, _ values: [SQLValue], isAboutRows: Bool = false,
        read: (borrowing PostgreSQLResult) throws(SQLError) -> Value
    ) throws(SQLError) -> Value {
        try guarded { (link, end) throws(SQLError) in
            let name = try prepare(text, link, end)
            try link.sendRun(name: name, values)
            let hasValues = values.contains { $0 != .null }
            return try Self.takeOne(link, end, isAboutRows: isAboutRows || hasValues, read: read)
        }
    }

    /// Runs `body`. When it fails in a way that leaves answers of the server unread, closes the connection.
    private func guarded<Value>(
        _ body: (PostgreSQLLink, _ end: UInt64) throws(SQLError) -> Value
    ) throws(SQLError) -> Value {
        guard let open = link else { throw SQLError(.connectionLost, detail: "closed earlier") }
        do throws(SQLError) {
            return try body(open, PostgreSQLLink.end(after: answerMilliseconds))
        } catch {
            if !open.isInStep { link = nil }
            throw error
        }
    }

    private func prepare(_ text: SQLText, _ link: PostgreSQLLink, _ end: UInt64) throws(SQLError) -> String {
        if let name = names[text] { return name }
        let name = "s\(names.count)"
        try link.sendPrepare(name: name, text: text.numbered)
        try Self.takeOne(link, end) { _ in }
        names[text] = name
        return name
    }

    private static func takeOne<Value>(
        _ link: PostgreSQLLink, _ end: UInt64, isAboutRows: Bool = false,
        read: (borrowing PostgreSQLResult) throws(SQLError) -> Value
    ) throws(SQLError) -> Value {
        guard let result = try link.next(until: end) else {
            throw SQLError(.connectionLost, detail: "no result")
        }
        while let further = try link.next(until: end) { _ = consume further }
        if let error = result.error(isAboutRows: isAboutRows) { throw error }
        return try read(result)
    }

    private static func takeAll(_ count: Int, _ link: PostgreSQLLink, _ end: UInt64) throws(SQLError)
        -> Result<[Int], SQLError>
    {
        var counts: [Int] = []
        var failure: SQLError?
        var isBetween = false
        while true {
            // nil stands between the results of two statements, once.
            guard let result = try link.next(until: end) else {
                guard !isBetween else { throw SQLError(.connectionLost, detail: "no result") }
                isBetween = true
                continue
            }
            isBetween = false
            if result.isEndOfPipeline { break }
            failure = failure ?? result.error(isAboutRows: true)
            counts.append(result.changedCount)
        }
        if let failure { return .failure(failure) }
        guard counts.count == count else {
            throw SQLError(.connectionLost, detail: "\(counts.count) results for \(count) statements")
        }
        return .success(counts)
    }
}

package struct PostgreSQLOptions: Sendable {
    package var isReadOnly = false
    /// How long connecting may take, from the first attempt until the session is ready. Resolving the server's name is not
    /// part of it, because the C library cannot be interrupted.
    static let connectMilliseconds: Int64 = 5000
    /// How long one call may wait for the server's answers. Afterwards the connection is closed.
    package var answerMilliseconds: Int64 = 10_000
    package var statementMilliseconds: Int64?
    package var lockMilliseconds: Int64 = 2000

    package init() {}
}

@safe package struct PostgreSQLAddress: Sendable {
    package let database: String
    /// True when the address has a password. The program refuses such an address, because addresses are printed.
    package let hasPassword: Bool
    private let servers: [(keyword: String, values: [Substring])]

    /// Reads a connection string. Throws `sql.bad-address`. The error has no part of the text, which may have a password.
    package init(_ text: String) throws(SQLError) {
        var message: UnsafeMutablePointer<CChar>?
        defer { unsafe PQfreemem(message) }
        // libpq would take any other text for the name of a database.
        let isAddress = text.contains("=") || text.contains("://")
        guard isAddress, !text.utf8.contains(0), let options = unsafe PQconninfoParse(text, &message) else {
            throw SQLError(.badAddress)
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        database = values["dbname"] ?? ""
        servers = ["host", "hostaddr", "port"].map { keyword in
            (keyword, (values[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false))
        }
        hasPassword = ["password", "sslpassword"].contains { !(values[$0] ?? "").isEmpty }
    }

    var serverCount: Int { servers.map(\.values.count).max() ?? 1 }

    func entries(without count: Int) -> [(String, String)] {
        // An empty entry would hide a variable of the environment, such as PGHOST.
        guard count > 0 else { return [] }
        return servers.filter { $0.values.count == serverCount }
            .map { ($0.keyword, $0.values.dropFirst(count).joined(separator: ",")) }
    }
}

extension SQLText {
    /// The text with `$1`, `$2`, … in place of the question marks outside of quotes and comments.
    var numbered: String {
        var (text, count, quote, isComment, previous) = ("", 0, Character?.none, false, Character(" "))
        for character in description {
            if isComment {
                isComment = character != "\n"
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "-", previous == "-" {
                isComment = true
            } else if character == "?" {
                count += 1
            }
            text += character == "?" && quote == nil && !isComment ? "$\(count)" : String(character)
            previous = character
        }
        return text
    }
}
