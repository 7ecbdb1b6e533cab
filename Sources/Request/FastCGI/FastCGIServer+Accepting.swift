internal import System

/// New connections.
extension FastCGIServer {
    /// Accepts one connection from the queue. Returns false when no connection waits or none can be accepted.
    func acceptOne(_ handler: Handler) -> Bool {
        switch listener.accept() {
        case .nobody: return false
        case .noRoom:
            if let connection = table.longestIdle {
                counts.evictedCount += 1
                retire(connection, handler)
            } else if !isDraining {
                // The server has no connection to close. The next sweep tries to accept again; trying at once would
                // loop.
                try? poll.remove(listener.descriptor.number)
                isAccepting = false
            }
            return false
        case .connection(let socket):
            counts.acceptedCount += 1
            let connection = Connection(socket, since: now)
            if answerArrived(on: connection, handler) { keep(connection, handler) }
            return true
        }
    }

    /// Keeps a connection open and waits for its next bytes. Makes room first when the server has too many connections.
    private func keep(_ connection: Connection, _ handler: Handler) {
        if table.count >= settings.connectionCountLimit, let oldest = table.longestIdle {
            counts.evictedCount += 1
            retire(oldest, handler)
        }
        table.insert(connection)
        // The poll would report the bytes of a waiting request once more. It gets the connection when these are read.
        if connection.waiting == nil { poll(connection) }
    }

    /// Waits for the next bytes of a connection. The poll also reports bytes that have arrived before.
    func poll(_ connection: Connection) {
        do {
            try poll.add(connection.number, token: connection.token, interest: connection.interest)
            connection.isPolled = true
        } catch {
            close(connection)
        }
    }
}
