/// The whole requests that wait to be answered, the oldest first. Of requests that were received in the same
/// millisecond, the one that the server learned of first comes first.
struct RequestQueue {
    private struct Entry {
        /// When the request was received, in milliseconds since 1970.
        let received: Int64
        /// Nil when the connection was closed while its request waited.
        var connection: Connection?
    }

    /// The entries from `head` on wait, in the order of their times. Those before `head` are empty.
    private var entries: [Entry] = []
    private var head = 0

    /// This many empty places at the beginning are given up at once.
    private static let emptyCount = 4096

    /// The number of places in use. The places of closed connections count until their turn comes.
    var count: Int { entries.count - head }

    /// True when no request waits.
    var isEmpty: Bool { count == 0 }

    /// Returns how many of the waiting requests are answered before one that was received at this time.
    private func countAhead(ofReceived received: Int64) -> Int {
        guard let last = entries.last, count > 0, last.received > received else { return count }
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].received <= received { low = middle + 1 } else { high = middle }
        }
        return low - head
    }

    /// Adds the request of a connection.
    mutating func insert(_ connection: Connection, received: Int64) {
        let place = head + countAhead(ofReceived: received)
        entries.insert(Entry(received: received, connection: connection), at: place)
    }

    /// Removes the oldest request. Returns its connection, or nil when no request waits.
    mutating func removeFirst() -> Connection? {
        while head < entries.count {
            let connection = entries[head].connection.take()
            head += 1
            if head == entries.count {
                entries.removeAll(keepingCapacity: true)
                head = 0
            } else if head >= Self.emptyCount {
                entries.removeFirst(head)
                head = 0
            }
            if let connection { return connection }
        }
        return nil
    }

    /// Forgets the request of a connection that is being closed. The queue would otherwise keep its descriptor open.
    mutating func forget(_ connection: Connection, received: Int64) {
        var place = head + countAhead(ofReceived: received)
        while place > head, entries[place - 1].received == received {
            place -= 1
            if entries[place].connection === connection {
                entries[place].connection = nil
                return
            }
        }
    }
}
