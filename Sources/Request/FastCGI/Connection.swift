internal import System

/// One accepted connection: its socket, and the request that is not complete yet.
final class Connection {
    /// The number of the socket's descriptor. Another connection may get the same number once this one is closed.
    let number: Int32
    var answeredCount = 0
    /// The start of the current wait: when the connection was accepted, its last request was answered, or an incomplete
    /// request began. Nanoseconds of the monotonic clock.
    var since: UInt64
    var serial: UInt32 = 0
    var isPolled = false
    var token: UInt64 { UInt64(serial) << 32 | UInt64(UInt32(bitPattern: number)) }
    var parked: ParkedPlace?
    var waiting: WaitingRequest?
    var unsent: UnsentAnswer?
    /// True when bytes arrived while a request waited for its turn, or an answer for the client.
    var hasUnseenBytes = false
    /// True when the client sends nothing more after the request that waits for its turn, or whose answer waits for the
    /// client.
    var isFinished = false
    var isAwaited: Bool { parked != nil || waiting != nil || unsent != nil }
    var interest: EventPoll.Interest {
        unsent == nil ? [.readable, .edgeTriggered] : [.readable, .writable, .edgeTriggered]
    }

    /// The request whose bytes are taken out of the socket; nil while no bytes are.
    var collected: FramingCheck?
    var keptByteCount: Int { collected?.plain?.bytes.count ?? 0 }

    private var socket: StreamSocket?

    init(_ socket: consuming StreamSocket, since: UInt64) {
        number = socket.descriptor.number
        self.socket = consume socket
        self.since = since
    }

    func peek(into buffer: inout [UInt8]) -> StreamSocket.Arrival {
        socket?.peek(into: &buffer) ?? .end
    }

    func receive(into buffer: inout [UInt8]) -> StreamSocket.Arrival {
        socket?.receive(into: &buffer) ?? .end
    }

    func shutDownReading() {
        socket?.shutDownReading()
    }

    func send(_ bytes: Span<UInt8>) -> StreamSocket.Departure {
        socket?.send(bytes) ?? .gone
    }

    /// Gives up the descriptor without closing it, because libfcgi has closed it already.
    func forgetDescriptor() {
        guard let socket = socket.take() else { return }
        _ = socket.release()
    }

    func startCollecting(at now: UInt64, _ settings: FastCGISettings) {
        collected = FramingCheck(
            bodyByteCountLimit: settings.readByteCount, keptByteCount: settings.bodyByteCount)
        since = now
    }

    func finishRequest(at now: UInt64) {
        answeredCount += 1
        since = now
    }
}

struct ConnectionTable {
    private var connections: [Connection?] = []
    private var serial: UInt32 = 0
    private(set) var count = 0

    /// Adds a connection and gives it a serial number. No token (``Connection/token``) is used twice for one descriptor
    /// number, so an event of a closed connection cannot reach the next connection with that number.
    mutating func insert(_ connection: Connection) {
        let index = Int(connection.number)
        if index >= connections.count {
            connections.append(contentsOf: repeatElement(nil, count: index + 1 - connections.count))
        }
        serial &+= 1
        connection.serial = serial
        connections[index] = connection
        count += 1
    }

    func connection(for token: UInt64) -> Connection? {
        let index = Int(token & 0xffff_ffff)
        guard index < connections.count, let connection = connections[index] else { return nil }
        return UInt64(connection.serial) == token >> 32 ? connection : nil
    }

    mutating func remove(_ connection: Connection) {
        let index = Int(connection.number)
        guard index < connections.count, connections[index] === connection else { return }
        connections[index] = nil
        count -= 1
    }

    func contains(_ connection: Connection) -> Bool {
        let index = Int(connection.number)
        return index < connections.count && connections[index] === connection
    }

    /// Builds an array, so only rare work uses it.
    var all: [Connection] { connections.compactMap { $0 } }

    /// The connection that has been idle for longest. If no connection is idle, the one whose incomplete request is
    /// oldest. Never one whose request is parked or waits for its turn, or whose answer waits for the client.
    var longestIdle: Connection? {
        let rank = { (connection: Connection) in (connection.collected != nil ? 1 : 0, connection.since) }
        let idle = connections.lazy.compactMap { $0 }.filter { !$0.isAwaited }
        return idle.min { rank($0) < rank($1) }
    }

    func longestUnsent(besides newest: Connection) -> Connection? {
        connections.lazy.compactMap { $0 }.filter { $0.unsent != nil && $0 !== newest }
            .min { $0.since < $1.since }
    }
}

/// The whole requests that wait to be answered, the oldest first. Of requests that were received in the same
/// millisecond, the one that the server learned of first comes first.
struct RequestQueue {
    private var entries: [(received: Int64, connection: Connection)] = []

    var count: Int { entries.count }

    mutating func insert(_ connection: Connection, received: Int64) {
        let place = entries.lastIndex { $0.received <= received }.map { $0 + 1 } ?? 0
        entries.insert((received, connection), at: place)
    }

    mutating func removeFirst() -> Connection? {
        entries.isEmpty ? nil : entries.removeFirst().connection
    }

    /// Forgets the request of a connection that is being closed. The queue would otherwise keep its descriptor open.
    mutating func forget(_ connection: Connection) {
        entries.removeAll { $0.connection === connection }
    }
}

/// How ``FastCGIServer`` treats a request that has arrived. The classifier of the server says so, before libfcgi has
/// read the request.
public enum RequestClass: Sendable, Hashable {
    /// The request is answered at once: the answer costs little.
    case prompt
    /// The request waits until all older requests are answered. It was received at this time, in milliseconds since
    /// 1970; nil stands for the moment at which the server learned of the request.
    case queued(receivedMilliseconds: Int64?)
}

struct WaitingRequest {
    let arrived: FastCGIRequest.Arrived
    let keepsConnection: Bool
    let wallMilliseconds: Int64
    let monotonicNanoseconds: UInt64
}

/// Finds parameters in the bytes of a whole request that a ``FramingCheck`` has found well-formed, before libfcgi reads it.
public enum ParameterPairs {
    /// Returns the place of the parameters in a request: the content of its one record of parameters. Nil when the
    /// parameters are in several records or in none. nginx sends one.
    static func place(in request: Span<UInt8>) -> Range<Int>? {
        // BEGIN_REQUEST has 16 bytes, and the header of the next record 8.
        guard request.count >= 32, request[6] == 0, request[17] == 4 else { return nil }
        let count = Int(request[20]) << 8 | Int(request[21])
        let next = 24 + count + Int(request[22])
        guard count > 0, next + 8 <= request.count, request[next + 1] == 4, request[next + 4] == 0,
            request[next + 5] == 0
        else { return nil }
        return 24..<24 + count
    }

    /// Calls `body` with the places of name and value of each parameter (FastCGI Specification 1.0, section 3.4). Stops
    /// at the end of the bytes, and at a pair that leads out of them.
    public static func forEach(
        in bytes: Span<UInt8>, _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void
    ) {
        var position = 0
        while let nameCount = length(in: bytes, &position), let valueCount = length(in: bytes, &position) {
            guard nameCount <= bytes.count - position, valueCount <= bytes.count - position - nameCount else {
                return
            }
            let value = position + nameCount
            body(position..<value, value..<value + valueCount)
            position = value + valueCount
        }
    }

    /// Reads a length of one byte, or of four bytes whose first bit is set.
    private static func length(in bytes: Span<UInt8>, _ position: inout Int) -> Int? {
        guard position < bytes.count else { return nil }
        let first = bytes[position]
        if first & 0x80 == 0 {
            position += 1
            return Int(first)
        }
        guard bytes.count - position >= 4 else { return nil }
        var value = Int(first & 0x7f)
        for index in 1...3 { value = value << 8 | Int(bytes[position + index]) }
        position += 4
        return value
    }
}
