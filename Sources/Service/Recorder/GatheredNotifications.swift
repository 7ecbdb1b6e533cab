/// The notifications of the present turn, before they are handed to the thread that commits.
///
/// A commit writes about twenty pages, however few notifications it has. Under load several requests lie in the sockets
/// when a turn begins; if the first were handed over alone, its commit would start at once and have no other notification.
struct GatheredNotifications {
    private var entries: [StoreMailbox.Entry] = []
    private var byteCount = 0

    /// The number of notifications.
    var count: Int { entries.count }

    /// Returns true when a further notification of this length may be added: the mailbox has room for all of them.
    func hasRoom(byteCount: Int, in mailbox: StoreMailbox) -> Bool {
        mailbox.hasRoom(count: entries.count + 1, byteCount: self.byteCount + byteCount)
    }

    /// Adds a notification.
    mutating func add(_ entry: StoreMailbox.Entry) {
        entries.append(entry)
        byteCount += entry.byteCount
    }

    /// Hands the notifications to the thread that commits.
    mutating func handOver(to mailbox: StoreMailbox) {
        guard !entries.isEmpty else { return }
        mailbox.add(entries)
        entries.removeAll(keepingCapacity: true)
        byteCount = 0
    }
}
