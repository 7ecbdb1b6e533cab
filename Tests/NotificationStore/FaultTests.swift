import CRecordingFiles
import NotificationStore
import SQL
import Support
import System
import Testing

@Suite("A store whose disk fails")
struct FaultTests {
    private let sample: Sample

    init() throws { sample = try Sample() }

    /// The code of an item that is not stored; nil for one that is.
    private func code(_ outcome: StoreOutcome?) -> String? {
        if case .notStored(let error) = outcome { error.code } else { nil }
    }

    @Test(
        "says which fault it is, stores nothing, and goes on when the fault is over",
        arguments: [
            (RECORDED_WRITE, Int32(13), "sql.full"), (RECORDED_WRITE, 10, "sql.input-output"),
            (RECORDED_SYNC, 10 | 4 << 8, "sql.input-output"), (RECORDED_WRITE, 8, "sql.read-only"),
            (RECORDED_WRITE, 11, "sql.corrupt"), (RECORDED_WRITE, 7, "sql.out-of-memory"),
        ] as [(recorded_call, Int32, String)]
    )
    func faults(call: recorded_call, result: Int32, code: String) throws {
        let files = try RecordingFiles()
        let place = try TestStore(.sqlite)
        let store = try place.open { $0.fileSystem = files.name }
        let items = try (1...4).map { try sample.renewed(Sample.Period(number: $0)) }
        #expect(store.store([items[0]]) == [.stored])
        files.fail(call, with: result)
        for _ in 0..<2 {
            let outcomes = store.store([items[0], items[1], items[2]])
            #expect(outcomes.map(self.code) == [code, code, code], "\(outcomes)")
            #expect(files.hasFailed)
        }
        files.heal()
        let outcomes = store.store(items)
        // What waited for the disk in vain is in the log and may be found there again.
        let isSync = call == RECORDED_SYNC
        #expect(
            outcomes == [.alreadyThere] + (isSync ? [.alreadyThere, .alreadyThere] : [.stored, .stored]) + [
                .stored
            ]
        )
        #expect(try place.open(.read).everyJWS() == items.map(\.jws) && store.check().isEmpty)
    }

    /// What happens between the failure of the disk and the retry of Apple.
    enum Meanwhile: CaseIterable { case nothing, opening, migrating, compacting, closing }

    @Test(
        "confirms a row that it left in the cache only when it is on the disk, and loses nothing that follows",
        arguments: Meanwhile.allCases,
        [true, false]
    )
    func unconfirmedRow(meanwhile: Meanwhile, failsOnce: Bool) throws {
        let files = try RecordingFiles()
        let place = try TestStore(.sqlite)
        let items = try (1...3).map { try sample.renewed(Sample.Period(number: $0)) }
        var store = try place.open { $0.fileSystem = files.name }
        let first = try sample.test(0)
        #expect(store.store([first]) == [.stored])
        if failsOnce {
            files.failOnce(RECORDED_SYNC, with: 10 | 4 << 8)
        } else {
            files.fail(RECORDED_SYNC, with: 10 | 4 << 8)
        }
        #expect(store.store([items[0]]).map(code) == ["sql.input-output"])
        files.heal()
        switch meanwhile {
        case .nothing: break
        case .opening: store = try place.open(.write) { $0.fileSystem = files.name }
        case .migrating:
            var options = StoreOptions(access: .write)
            options.fileSystem = files.name
            _ = try NotificationStore.migrate(place.address, options)
        case .compacting: try store.compact()
        case .closing:
            _ = try store.everyJWS()
            store.disconnect()
        }
        #expect(store.store([items[0]]) == [.alreadyThere])
        try expect([first, items[0]], onTheDiskOf: files)
        // What is stored behind the row in the log can only be read with it.
        #expect(store.store(Array(items[1...])) == [.stored, .stored])
        try expect([first] + items, onTheDiskOf: files)
        withExtendedLifetime(store) {}
    }

    private func expect(_ items: [StoreItem], onTheDiskOf files: RecordingFiles) throws {
        var disk = CachedDisk()
        for record in files.records() { disk.apply(record) }
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 1)
        try disk.cut(.dropsAll, using: &generator, into: folder)
        let address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
        let store = try NotificationStore(address, StoreOptions(access: .write))
        #expect(try store.everyJWS() == items.map(\.jws) && store.check().isEmpty)
    }

    /// Makes a store with a log of more than 4 MB. The connection that is returned keeps the log from going into the file.
    private static func fillLog(of place: TestStore) throws -> any SQLConnection {
        _ = try place.open()
        let other = try place.connect()
        _ = try other.query("PRAGMA wal_autocheckpoint = 0")
        try other.run("CREATE TABLE filler (bytes BLOB)")
        for _ in 0..<20 { try other.run("INSERT INTO filler VALUES (ZEROBLOB(200000))") }
        return other
    }

    @Test("is prepared for the first commit: the log is on the disk and in the file before")
    func prepared() throws {
        let place = try TestStore(.sqlite)
        let other = try Self.fillLog(of: place)
        defer { withExtendedLifetime(other) {} }
        let files = try RecordingFiles()
        let store = try place.open(.write) { $0.fileSystem = files.name }
        try store.prepare()
        func written(_ file: recorded_file, from start: Int) -> Int {
            files.records()[start...].filter { $0.file == file && $0.call == RECORDED_WRITE }
                .reduce(0) { $0 + $1.bytes.count }
        }
        #expect(written(RECORDED_LOG, from: 0) > 4_000_000 && written(RECORDED_DATABASE, from: 0) > 4_000_000)
        let before = files.records().count
        #expect(store.store([try sample.test(1)]) == [.stored])
        #expect(written(RECORDED_LOG, from: before) < 1_000_000)
        #expect(try store.everyJWS().count == 1 && store.check().isEmpty)
    }

    @Test("never has half of a batch, and never forgets, wherever a call fails")
    func everyCall() throws {
        let files = try RecordingFiles()
        let place = try TestStore(.sqlite)
        var store = try place.open { $0.fileSystem = files.name }
        var sent: [StoreItem] = []
        var confirmed: Set<String> = []
        var failureCount = 0
        for round in 0..<60 {
            let batch = try (0..<2).map { try sample.renewed(Sample.Period(number: round * 2 + $0)) }
            sent += batch
            let calls = [RECORDED_WRITE, RECORDED_SYNC, CALL_READ, RECORDED_TRUNCATE][round % 4]
            files.fail(calls, after: round / 4, with: round % 3 == 0 ? 13 : 10)
            if round % 10 == 9 { try? store.checkpoint() }
            let outcomes = store.store(batch)
            #expect(Set(outcomes.map { $0 == .stored }).count == 1, "half of a batch: \(outcomes)")
            if outcomes[0] == .stored { confirmed.formUnion(batch.map(\.uuid)) } else { failureCount += 1 }
            files.heal()
            if round % 5 == 4 { store = try place.open(.write) { $0.fileSystem = files.name } }
            let found = try store.notifications(NotificationFilter(), StorePage(count: 1000)).rows.map(\.uuid)
            #expect(confirmed.isSubset(of: found) && Set(found).count == found.count)
        }
        #expect(failureCount > 10)
        for outcome in store.store(sent) { #expect(outcome.isSettled) }
        #expect(try Set(store.everyJWS()) == Set(sent.map(\.jws)) && store.check().isEmpty)
    }

    @Test(
        "notices that another file has taken the place of its own, and does not write into a file without a name"
    )
    func replaced() throws {
        let place = try TestStore(.sqlite)
        let store = try place.open()
        #expect(store.store([try sample.test(1)]) == [.stored])
        store.disconnect()
        _ = try store.everyJWS()
        // The log goes along, as a person would do it who knows SQLite.
        let aside = place.files.path(of: "aside")
        for suffix in ["", "-wal", "-shm"] { try? Directory.rename(place.path + suffix, to: aside + suffix) }
        #expect(store.store([try sample.test(2)]).map(code) == ["store.replaced"])
        #expect(store.store([try sample.test(2)]).map(code) == ["store.missing"])
        #expect((try? FileStatus(path: place.path)) == nil)
        for suffix in ["", "-wal", "-shm"] { try? Directory.rename(aside + suffix, to: place.path + suffix) }
        #expect(store.store([try sample.test(1), try sample.test(2)]) == [.alreadyThere, .stored])
        try place.files.write("something else", to: "store.db")
        #expect(store.store([try sample.test(3)]).map(code) == ["store.replaced"])
        #expect(store.store([try sample.test(3)]).map(code) == ["store.foreign"])
        #expect(try place.files.read("store.db") == Array("something else".utf8))
    }
}
