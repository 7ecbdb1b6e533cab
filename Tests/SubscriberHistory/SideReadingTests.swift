import Glibc
import NotificationStore
import SQL
import Support
import Synchronization
import System
import Testing

@testable import SubscriberHistory

@Suite("Reading in several threads")
struct SideReadingTests {
    /// A store without rows.
    private struct Bed {
        let folder: TemporaryDirectory
        let store: NotificationStore
        func refresh(givesWay: Bool = false) -> HistoryRefresh {
            var refresh = HistoryRefresh(store, app: "a", environment: "Sandbox")
            refresh.givesWay = givesWay
            return refresh
        }

        init() throws {
            folder = try TemporaryDirectory()
            let address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
            store = try NotificationStore(address, StoreOptions(access: .create))
        }

        /// Makes further connections fail: a file of another program is not opened. Those that are open go on.
        func refuseConnections() throws {
            let options = SQLiteOptions(access: .write)
            try SQLiteConnection(path: folder.path(of: "store.db"), options).run("PRAGMA application_id = 7")
        }
    }

    private final class Finished: Sendable {
        let count = Atomic(0)
    }

    private static func reading(
        _ bed: Bed,
        givesWay: Bool = false,
        _ body: @escaping @Sendable (Int) throws(NotificationStoreError) -> Void
    ) -> SideReading<Int, Int> {
        SideReading(bed.refresh(givesWay: givesWay), sideCount: 3, patienceMilliseconds: .max) {
            refresh,
            piece throws(NotificationStoreError) in
            // Each thread has a connection that reads.
            _ = try refresh.covered()
            try body(piece)
            return piece
        }
    }

    private static func wait(milliseconds: Int32) {
        _ = try? Readiness.wait(for: [], timeoutMilliseconds: milliseconds)
    }

    @Test(
        "gives each piece once and in order, whichever thread is slow",
        arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 21],
        [false, true]
    )
    func order(count: Int, givesWay: Bool) throws {
        let bed = try Bed()
        for slow in 0..<4 {
            let reading = Self.reading(bed, givesWay: givesWay) {
                if $0 % 4 == slow { Self.wait(milliseconds: 3) }
            }
            var rest = Array(0..<count)[...]
            var pages: [Int] = []
            while let next = try reading.pages(of: { rest.popFirst() }) {
                #expect(!next.isEmpty && next.count <= 4)
                pages += next
            }
            #expect(pages == Array(0..<count))
        }
    }

    @Test(
        "gives each piece once and in order when there are no more connections, from a piece on",
        arguments: 0..<6,
        [false, true]
    )
    func connections(last: Int, givesWay: Bool) throws {
        let bed = try Bed()
        let reading = Self.reading(bed, givesWay: givesWay) { _ in }
        var rest = Array(0..<20)[...]
        var pages: [Int] = []
        while let next = try reading.pages(of: {
            if rest.first == last { try? bed.refuseConnections() }
            return rest.popFirst()
        }) {
            pages += next
        }
        #expect(pages == Array(0..<20))
    }

    @Test("reads nothing in the caller's thread when it gives way")
    func givingWay() throws {
        let bed = try Bed()
        let caller = pthread_self()
        let reading = Self.reading(bed, givesWay: true) { _ in
            #expect(pthread_equal(pthread_self(), caller) == 0)
        }
        var rest = Array(0..<9)[...]
        var pages: [[Int]] = []
        while let next = try reading.pages(of: { rest.popFirst() }) { pages.append(next) }
        #expect(pages == [[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    }

    @Test(
        "does more in the caller's thread when the other threads took too long",
        arguments: [
            (false, [[0], [1, 2, 3, 4], [5], [6], [7], [8], [9]]),
            (true, [[0, 1, 2], [3, 4, 5, 6], [7], [8], [9]]),
        ]
    )
    func impatience(givesWay: Bool, wanted: [[Int]]) throws {
        let bed = try Bed()
        let reading = SideReading<Int, Int>(
            bed.refresh(givesWay: givesWay),
            sideCount: 3,
            patienceMilliseconds: -1
        ) { $1 }
        var rest = Array(0..<10)[...]
        var pages: [[Int]] = []
        while let next = try reading.pages(of: { rest.popFirst() }) { pages.append(next) }
        #expect(pages == wanted)
    }

    @Test(
        "throws what a piece throws in every thread, and gives a piece that only another thread could not read"
    )
    func failures() throws {
        let bed = try Bed()
        let isFirst = Atomic(true)
        let reading = Self.reading(bed) { piece throws(NotificationStoreError) in
            if piece == 2, isFirst.exchange(false, ordering: .relaxed) { throw .missing }
            if piece == 6 { throw .badArgument }
        }
        var rest = Array(0..<20)[...]
        var pages: [Int] = []
        let error = #expect(throws: NotificationStoreError.self) {
            while let next = try reading.pages(of: { rest.popFirst() }) { pages += next }
        }
        #expect(error == .badArgument)
        #expect(pages == Array(0..<5))
    }

    @Test("ends the threads when nobody wants the rest")
    func end() throws {
        let bed = try Bed()
        let finished = Finished()
        func begin() throws {
            let reading = Self.reading(bed) { piece in
                if piece > 0 { Self.wait(milliseconds: 50) }
                finished.count.add(1, ordering: .relaxed)
            }
            var rest = Array(0..<20)[...]
            #expect(try reading.pages(of: { rest.popFirst() }) == [0])
            #expect(rest.count == 16)
        }
        try begin()
        #expect(finished.count.load(ordering: .relaxed) == 4)
    }
}
