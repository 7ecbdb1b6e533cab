/// The connections that are waited for, by number of their descriptor.
struct ConnectionTable {
    private var connections: [Connection?] = []
    private var serial: UInt32 = 0
    /// How many there are.
    private(set) var count = 0

    /// Takes a connection in and returns the token to wait for it with. A token is never used twice for one number, so
    /// that an event of a connection that is closed cannot hit the next one with its number.
    mutating func insert(_ connection: Connection) -> UInt64 {
        let index = Int(connection.number)
        if index >= connections.count {
            connections.append(contentsOf: repeatElement(nil, count: index + 1 - connections.count))
        }
        serial &+= 1
        connection.serial = serial
        connections[index] = connection
        count += 1
        return UInt64(serial) << 32 | UInt64(UInt32(bitPattern: connection.number))
    }

    /// The connection of a token, nil when it is gone.
    func connection(for token: UInt64) -> Connection? {
        let index = Int(token & 0xffff_ffff)
        guard index < connections.count, let connection = connections[index] else { return nil }
        return UInt64(connection.serial) == token >> 32 ? connection : nil
    }

    /// Lets a connection go; its descriptor is closed with it.
    mutating func remove(_ connection: Connection) {
        let index = Int(connection.number)
        guard index < connections.count, connections[index] === connection else { return }
        connections[index] = nil
        count -= 1
    }

    /// All of them, for work that is rare.
    var all: [Connection] { connections.compactMap { $0 } }

    /// The one that has been idle for longest; of those only busy with incomplete requests the oldest, if none is idle.
    var longestIdle: Connection? {
        let rank = { (connection: Connection) in (connection.isCollecting ? 1 : 0, connection.since) }
        return connections.lazy.compactMap { $0 }.min { rank($0) < rank($1) }
    }
}
