internal import CPostgreSQL
internal import Glibc
internal import System

/// A connection of libpq, used without ever blocking for longer than a limit: libpq gives and takes bytes, and poll(2)
/// waits.
@safe final class PostgreSQLLink {
    private let handle: OpaquePointer
    private let warnings: UnsafeMutablePointer<Int>

    init(_ entries: [(String, String)], until end: UInt64) throws(SQLError) {
        guard let handle = unsafe Self.start(entries) else { throw SQLError(.outOfMemory) }
        unsafe self.handle = handle
        unsafe warnings = .allocate(capacity: 1)
        unsafe warnings.initialize(to: 0)
        guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw connectError() }
        unsafe rt_pg_count_warnings(handle, warnings)
        unsafe PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw connectError() }
            try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: end)
            state = unsafe PQconnectPoll(handle)
        }
        unsafe PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw SQLError(.outOfMemory) }
    }

    deinit {
        unsafe PQfinish(handle)
        unsafe warnings.deallocate()
    }

    var warningCount: Int { unsafe warnings.pointee }

    private var hasFailed = false
    /// False once the connection has ended, or answers of the server may come that nobody waits for.
    var isInStep: Bool { unsafe !hasFailed && PQstatus(handle) == CONNECTION_OK }
    var isIdle: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_IDLE }

    func sendPrepare(name: String, text: String) throws(SQLError) {
        try sent(unsafe PQsendPrepare(handle, name, text, 0, nil))
    }

    func sendRun(name: String, _ values: [SQLValue]) throws(SQLError) {
        let result = unsafe PostgreSQLParameters(values).withPointers { count, addresses, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name, count, addresses, lengths, formats, 1)
        }
        try sent(result)
    }

    func beginPipeline() throws(SQLError) { try sent(unsafe PQenterPipelineMode(handle)) }

    func sendSync() throws(SQLError) { try sent(unsafe PQpipelineSync(handle)) }

    func endPipeline() throws(SQLError) { try sent(unsafe PQexitPipelineMode(handle)) }

    func next(until end: UInt64) throws(SQLError) -> PostgreSQLResult? {
        try flush(until: end)
        while unsafe PQisBusy(handle) == 1 {
            try wait(for: POLLIN, until: end)
            try consume()
        }
        return unsafe PQgetResult(handle).map { unsafe PostgreSQLResult(takingOwnership: $0) }
    }

    static func end(after milliseconds: Int64) -> UInt64 {
        Clock.monotonicNanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
    }

    private func flush(until end: UInt64) throws(SQLError) {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1: break
            default: throw lost()
            }
            // The server may wait until its answers are read before it reads more.
            if try wait(for: POLLOUT | POLLIN, until: end) & Int16(POLLIN) != 0 { try consume() }
        }
    }

    private func consume() throws(SQLError) {
        guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
    }

    @discardableResult
    private func wait(for events: Int32, until end: UInt64) throws(SQLError) -> Int16 {
        var entry = unsafe pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        guard entry.fd >= 0 else { throw lost() }
        while true {
            let now = Clock.monotonicNanoseconds()
            guard now < end else {
                hasFailed = true
                throw SQLError(.timedOut, detail: "no answer from the server")
            }
            let result = unsafe poll(&entry, 1, Int32(clamping: (end - now) / 1_000_000 + 1))
            if result > 0 { return entry.revents }
            if result < 0, errno != EINTR { throw lost() }
        }
    }

    private func sent(_ result: Int32) throws(SQLError) {
        guard result == 1 else { throw lost() }
    }

    private func lost() -> SQLError {
        hasFailed = true
        return SQLError(.connectionLost, detail: message)
    }

    private func connectError() -> SQLError { SQLError(connecting: message) }

    private var message: String {
        let text = unsafe PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? ""
        return text.split(separator: "\n").joined(separator: " ")
    }

    private static func start(_ entries: [(String, String)]) -> OpaquePointer? {
        let names = unsafe entries.map { unsafe strdup($0.0) }
        let values = unsafe entries.map { unsafe strdup($0.1) }
        defer { unsafe (names + values).forEach { unsafe free($0) } }
        let nameList = unsafe names.map { unsafe UnsafePointer($0) } + [nil]
        let valueList = unsafe values.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe PQconnectStartParams(nameList, valueList, 1)
    }
}

/// The values of one statement in the forms that libpq takes.
///
/// Whole numbers and floating-point numbers go as texts, so that the server converts them to the type that the statement
/// wants. Texts and bytes go as they are, with their length, so that a NUL inside is refused and not cut off.
struct PostgreSQLParameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [SQLValue]) {
        for value in values {
            switch value {
            case .null: add([UInt8]?.none, format: 0)
            case .integer(let number): add(String(number).utf8, format: 0)
            case .double(let number): add(String(number).utf8, format: 0)
            case .text(let text): add(text.utf8, format: 1)
            case .bytes(let bytes): add(bytes, format: 1)
            }
        }
    }

    private mutating func add(_ value: (some Collection<UInt8>)?, format: Int32) {
        formats.append(format)
        guard let value else {
            offsets.append(nil)
            lengths.append(0)
            return
        }
        offsets.append(bytes.count)
        lengths.append(Int32(clamping: value.count))
        bytes.append(contentsOf: value)
        bytes.append(0)
    }

    func withPointers<Result>(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBytes { block in
            let addresses = unsafe offsets.map { offset -> UnsafePointer<CChar>? in
                guard let offset, let base = block.baseAddress else { return nil }
                return unsafe (base + offset).assumingMemoryBound(to: CChar.self)
            }
            return unsafe body(Int32(clamping: offsets.count), addresses, lengths, formats)
        }
    }
}
