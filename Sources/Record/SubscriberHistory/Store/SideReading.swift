internal import NotificationStore
internal import System

/// Reads a store in several threads, each over a connection of its own, so that they wait for the disk side by side. They go on
/// while the caller works on what was read.
///
/// Each thread makes of the rows what is wanted of them. When one thread reads rows and another one works on them, both wait for
/// each other's memory.
final class SideReading<Piece: Sendable, Page: Sendable> {
    typealias Read = @Sendable (HistoryRefresh, Piece) throws(NotificationStoreError) -> Page

    private let refresh: HistoryRefresh
    private let read: Read
    private var sideCount: Int
    private let patienceMilliseconds: Int64
    /// False while the caller's thread reads nothing.
    private var readsHere: Bool
    private var sides: [SideConnection] = []
    /// A server that has no room for one more connection is not asked again.
    private var hasRoom = true
    /// What the other threads read now.
    private var underWay: [(piece: Piece, thread: JoinableThread<Page?>?)] = []
    /// The next piece, when no other thread could take it.
    private var held: Piece?

    /// Prepares to read.
    ///
    /// - Parameters:
    ///   - refresh: the refresh whose store, app and environment are read. If it gives way, the caller's thread reads nothing while
    ///     other threads do.
    ///   - sideCount: the most connections beside the caller's own one; nil for as many as the machine has use for.
    ///   - patienceMilliseconds: how long the caller waits for other threads, which a busy machine may not let run. When they
    ///     took longer, it reads too; when they do so again, it reads the rest alone.
    ///   - read: reads a piece with the refresh of one thread.
    init(
        _ refresh: HistoryRefresh,
        sideCount: Int? = nil,
        patienceMilliseconds: Int64 = 1000,
        read: @escaping Read
    ) {
        self.refresh = refresh
        self.patienceMilliseconds = patienceMilliseconds
        readsHere = !refresh.givesWay
        self.sideCount = sideCount ?? Self.usualSideCount(readsHere: readsHere)
        self.read = read
    }

    deinit {
        for reading in underWay { _ = reading.thread?.join() }
    }

    /// Reads the next piece in this thread, unless others read all, and has the other threads begin with those after it. Without
    /// more connections, this thread reads all.
    ///
    /// - Parameter next: returns the next piece; nil when there is none.
    /// - Returns: what was read of this piece, and before it what the other threads have read since the last call, in the order of
    ///   the pieces; nil when there is no further piece.
    /// - Throws: the errors of the store and of `next`.
    func pages(
        of next: () throws(NotificationStoreError) -> Piece?
    ) throws(NotificationStoreError) -> [Page]? {
        if !readsHere, underWay.isEmpty, held == nil { try beginOthers(next) }
        let earlier = underWay
        var piece = held.take()
        if piece == nil, readsHere || earlier.isEmpty { piece = try next() }
        // The first piece alone needs no other thread.
        if earlier.isEmpty { try beginOthers(next) }
        let own = try piece.map { piece throws(NotificationStoreError) in try read(refresh, piece) }
        var pages: [Page] = []
        var waited: UInt64 = 0
        for (piece, thread) in earlier {
            let begun = Clock.monotonicNanoseconds()
            let page = thread?.join() ?? nil
            waited += Clock.monotonicNanoseconds() - begun
            if let page {
                pages.append(page)
            } else {
                pages.append(try read(refresh, piece))
            }
        }
        if let own { pages.append(own) }
        if !earlier.isEmpty {
            if Int64(waited / 1_000_000) > patienceMilliseconds { doMoreHere() }
            try beginOthers(next)
        }
        return pages.isEmpty ? nil : pages
    }

    /// Lets this thread do more, because the others took too long. A slow disk makes them slow, too, so it first reads beside them.
    private func doMoreHere() {
        if readsHere { sideCount = 0 } else { readsHere = true }
    }

    private func beginOthers(
        _ next: () throws(NotificationStoreError) -> Piece?
    ) throws(NotificationStoreError) {
        underWay = []
        while underWay.count < (hasRoom ? sideCount : min(sideCount, sides.count)), let piece = try next() {
            if sides.count == underWay.count {
                guard let side = SideConnection(beside: refresh.store) else {
                    (hasRoom, held) = (false, piece)
                    return
                }
                sides.append(side)
            }
            underWay.append((piece, begin(piece, over: sides[underWay.count])))
        }
    }

    private func begin(_ piece: Piece, over side: SideConnection) -> JoinableThread<Page?>? {
        let (app, environment, read, givesWay) = (refresh.app, refresh.environment, read, refresh.givesWay)
        return side.begin { store throws(NotificationStoreError) in
            // A recorder may be in the background itself. This thread only reads, so no writer waits for it.
            if givesWay { BackgroundWork.set(true) }
            return try read(HistoryRefresh(store, app: app, environment: environment), piece)
        }
    }

    /// One connection for each processor, without that of a caller who reads, and at least one: more threads than processors only
    /// take them from each other.
    private static func usualSideCount(readsHere: Bool) -> Int {
        min(max(1, ProcessorCount.usable - (readsHere ? 1 : 0)), 3)
    }
}
