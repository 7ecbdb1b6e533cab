/// The open connections of a server, by the number of their descriptors.
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

    /// Returns the connection of a token; nil when the connection is closed.
    func connection(for token: UInt64) -> Connection? {
        let index = Int(token & 0xffff_ffff)
        guard index < connections.count, let connection = connections[index] else { return nil }
        return UInt64(connection.serial) == token >> 32 ? connection : nil
    }

    /// Removes a connection, which closes its descriptor.
    mutating func remove(_ connection: Connection) {
        let index = Int(connection.number)
        guard index < connections.count, connections[index] === connection else { return }
        connections[index] = nil
        count -= 1
    }

    /// Returns true when the connection is open.
    func contains(_ connection: Connection) -> Bool {
        let index = Int(connection.number)
        return index < connections.count && connections[index] === connection
    }

    /// All connections of the table. Builds an array, so only rare work uses it.
    var all: [Connection] { connections.compactMap { $0 } }

    /// The connection that has been idle for longest. If no connection is idle, the one whose incomplete request is
    /// oldest. If no request is incomplete either, the one whose delayed answer has waited for longest. Never a
    /// connection whose request has a ticket or waits for its turn, or whose answer waits for the client.
    var longestIdle: Connection? {
        let rank = { (connection: Connection) in
            (connection.parked != nil ? 2 : connection.collected != nil ? 1 : 0, connection.since)
        }
        let idle = connections.lazy.compactMap { $0 }.filter {
            $0.parked?.isDelayed != false && $0.waiting == nil && $0.unsent == nil
        }
        return idle.min { rank($0) < rank($1) }
    }

    /// The connection whose client has taken nothing of a large answer for longest, `newest` excepted; nil when no other
    /// connection has such an answer.
    func longestUnsent(besides newest: Connection) -> Connection? {
        connections.lazy.compactMap { $0 }.filter { $0.unsent != nil && $0 !== newest }
            .min { $0.since < $1.since }
    }
}
