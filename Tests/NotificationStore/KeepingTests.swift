import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("Keeping a store")
struct KeepingTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    private func ranges(_ pairs: [(Int64, Int64)]) -> [TimeRange] {
        pairs.map { TimeRange(from: $0.0, to: $0.1) }
    }

    @Test("joins covered ranges that overlap or touch, and names the gaps", arguments: StoreSystem.allCases)
    func coverage(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        func cover(_ from: Int64, _ to: Int64, at time: Int64) throws {
            try store.cover(app: "a", environment: "e", TimeRange(from: from, to: to), finishedAt: time)
        }
        func covered() throws -> [TimeRange] { try store.coverage(app: "a", environment: "e").map(\.range) }
        func gaps(_ from: Int64, _ to: Int64) throws -> [TimeRange] {
            try store.gaps(app: "a", environment: "e", in: TimeRange(from: from, to: to))
        }
        #expect(try gaps(0, 10) == ranges([(0, 10)]))
        try cover(10, 20, at: 100)
        try cover(40, 50, at: 101)
        #expect(try covered() == ranges([(10, 20), (40, 50)]))
        #expect(try gaps(0, 100) == ranges([(0, 10), (20, 40), (50, 100)]))
        #expect(try gaps(12, 45) == ranges([(20, 40)]) && gaps(12, 18).isEmpty && gaps(30, 20).isEmpty)
        try cover(20, 25, at: 90)
        #expect(try covered() == ranges([(10, 25), (40, 50)]))
        #expect(try store.coverage(app: "a", environment: "e").map(\.finishedAt) == [100, 101])
        try cover(12, 14, at: 110)
        try cover(24, 41, at: 105)
        #expect(try covered() == ranges([(10, 50)]))
        #expect(try store.coverage(app: "a", environment: "e").map(\.finishedAt) == [110])
        try store.cover(app: "a", environment: "f", TimeRange(from: -5, to: 5))
        #expect(try covered() == ranges([(10, 50)]))
        #expect(try store.coverage(app: "a", environment: "f").map(\.finishedAt) == [TestStore.now])
        #expect(try store.coveredApps().map(\.environment) == ["e", "f"])
        #expect(throws: NotificationStoreError.badArgument) { try cover(5, 5, at: 0) }
    }

    @Test("remembers how far a program has come", arguments: StoreSystem.allCases)
    func cursors(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        #expect(try store.cursor(named: "forward:x") == nil)
        try store.setCursor(StoreCursor(position: 7), named: "forward:x")
        try store.setCursor(StoreCursor(position: 9, detail: "token"), named: "recover:a")
        try store.setCursor(StoreCursor(position: 8), named: "forward:x")
        let other = try place.open(.read)
        #expect(try other.cursor(named: "forward:x") == StoreCursor(position: 8))
        #expect(try other.cursor(named: "recover:a") == StoreCursor(position: 9, detail: "token"))
        #expect(try other.cursorNames() == ["forward:x", "recover:a"])
        try store.removeCursor(named: "forward:x")
        try store.removeCursor(named: "forward:x")
        #expect(try other.cursorNames() == ["recover:a"])
        for name in ["", String(repeating: "x", count: 513), "a\u{0}"] {
            #expect(throws: NotificationStoreError.badArgument) {
                try store.setCursor(StoreCursor(position: 1), named: name)
            }
        }
        let long = StoreCursor(position: 1, detail: String(repeating: "x", count: 20_000))
        #expect(throws: NotificationStoreError.badArgument) { try store.setCursor(long, named: "a") }
    }

    @Test(
        "deletes no notification with a status that the program does not know")
    func unknownStatus() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        let cases: [(status: Int64?, unfit: Set<String>)] = [
            (1, []), (9, []), (nil, []), (nil, ["status"]), (nil, ["subtype"]), (0, []), (5, ["product_id"]),
        ]
        let items = try cases.enumerated().map { place, row in
            let period = Sample.Period(number: place)
            let notification = try sample.outer(
                period, type: "DID_RENEW", member: "data", content: "", unfit: row.unfit
            ) { $0.status = row.status }
            return StoreItem(.notification(notification), source: .push, receivedAt: 5)
        }
        #expect(store.store(items).allSatisfy { $0 == .stored })
        #expect(try store.prune(receivedBefore: .max, keepingTypes: [], keepingStatusesBeside: [1, 5]) == 4)
        let left = try store.notifications().rows
        #expect(left.map(\.uuid) == [1, 3, 5].map { Sample.Period(number: $0).uuid })
        #expect(try store.prune(receivedBefore: .max, keepingTypes: []) == 3)
    }

    @Test(
        "deletes old notifications, and keeps their transactions and the types that facts need",
        arguments: StoreSystem.allCases
    )
    func pruning(system: StoreSystem) throws {
        let place = try TestStore(system)
        let store = try place.open()
        var items: [StoreItem] = []
        for number in 1...2100 {
            items.append(
                number % 100 == 0
                    ? try sample.renewed(Sample.Period(number: number), type: "REFUND")
                    : try sample.test(number)
            )
        }
        for start in stride(from: 0, to: items.count, by: 500) {
            let batch = Array(items[start..<min(start + 500, items.count)])
            #expect(store.store(batch).allSatisfy { $0 == .stored })
        }
        #expect(try store.prune(receivedBefore: Sample.received, keepingTypes: []) == 0)
        #expect(try store.prune(receivedBefore: .max, keepingTypes: ["REFUND"], upTo: 10) == 10)
        #expect(try store.prune(receivedBefore: Sample.received + 1, keepingTypes: ["REFUND"]) == 2069)
        #expect(try store.everyJWS().count == 21)
        #expect(try store.prune(receivedBefore: Sample.received + 2000, keepingTypes: []) == 19)
        #expect(try store.everyJWS().count == 2 && store.everyJWS(.transaction).count == 21)
        // Numbers are never used again, because programs remember how far they have come.
        #expect(try store.prune(receivedBefore: .max, keepingTypes: []) == 2)
        #expect(store.store([try sample.test(1)]) == [.stored])
        #expect(try store.notifications().rows.map(\.id) == [2101])
    }

    @Test("copies a store while another program writes")
    func backup() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        var items: [StoreItem] = []
        for number in 1...400 { items.append(try sample.renewed(Sample.Period(number: number))) }
        #expect(store.store(Array(items[..<300])).allSatisfy { $0 == .stored })
        let writer = try place.open(.write)
        var next = 300
        var steps: [Int] = []
        let path = place.files.path(of: "copy.db")
        try store.backup(to: path) { done, _ in
            steps.append(done)
            guard next < 400 else { return }
            #expect(writer.store([items[next]]) == [.stored])
            next += 1
        }
        #expect(next > 300 && steps == steps.sorted())
        let copy = try NotificationStore(StoreAddress("sqlite:\(path)"), StoreOptions(access: .read))
        #expect(try copy.everyJWS() == items[..<300].map(\.jws))
        #expect(try copy.check().isEmpty && FileStatus(path: path).permissions == 0o600)
        #expect(throws: NotificationStoreError.exists) { try store.backup(to: path) }
        let error = #expect(throws: NotificationStoreError.self) {
            try store.backup(to: "/nonexistent/copy.db")
        }
        #expect(error?.code == "store.file")
        #expect(try store.everyJWS().count == next)
    }

    @Test("has no copy, no check and no compaction for PostgreSQL, which has its own programs")
    func onlySQLite() throws {
        let place = try TestStore(.postgreSQL)
        let store = try place.open()
        #expect(throws: NotificationStoreError.onlySQLite) { try store.backup(to: place.files.path(of: "x")) }
        #expect(throws: NotificationStoreError.onlySQLite) { try store.compact() }
        #expect(throws: NotificationStoreError.onlySQLite) { try store.check() }
        try store.checkpoint()
    }

    @Test("finds damage in the file")
    func checking() throws {
        let place = try TestStore(.sqlite)
        var items: [StoreItem] = []
        for number in 1...200 { items.append(try sample.renewed(Sample.Period(number: number))) }
        do {
            let store = try place.open()
            #expect(store.store(items).allSatisfy { $0 == .stored })
            #expect(try store.check().isEmpty)
        }
        var bytes = try place.files.read("store.db")
        // The headers of some pages (https://www.sqlite.org/fileformat.html); the first page says what the file is.
        for page in stride(from: 5 * 4096, to: bytes.count, by: 7 * 4096) {
            for index in page..<page + 8 { bytes[index] ^= 0x55 }
        }
        try place.files.write(bytes, to: "store.db")
        let found = Result { try place.open(.read).check() }
        switch found {
        case .success(let lines): #expect(!lines.isEmpty && lines.count <= 100)
        case .failure(let error): #expect((error as? NotificationStoreError)?.code == "sql.corrupt")
        }
    }
}
