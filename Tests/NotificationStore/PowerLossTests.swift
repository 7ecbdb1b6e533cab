import CRecordingFiles
import NotificationStore
import SQL
import Support
import System
import Testing

/// A recorded run of a program that stores, erases and compacts, with a mark after each answer.
private struct RecordedRun {
    let records: [RecordingFiles.Record]
    /// For each mark, the UUIDs that the program had been told are stored until then, and those that were erased.
    let stored: [Set<String>]
    let erased: [Set<String>]
    let items: [StoreItem]

    init(waitsForDisk: Bool = true) throws {
        let files = try RecordingFiles()
        let sample = try Sample()
        let place = try TestStore(.sqlite)
        var items: [StoreItem] = []
        var stored: [Set<String>] = [[]]
        var erased: [Set<String>] = [[]]
        do {
            let store = try place.open(.create) {
                $0.fileSystem = files.name
                $0.waitsForDisk = waitsForDisk
            }
            for batch in 0..<24 {
                var next: [StoreItem] = []
                for number in 0..<1 + batch % 3 {
                    let period = Sample.Period(number: batch * 10 + number, subscriber: batch % 4)
                    next.append(try sample.renewed(period))
                }
                let outcomes = store.store(next)
                guard outcomes.allSatisfy(\.isSettled) else { throw RecordingFiles.Failure() }
                items += next
                let new = zip(next, outcomes).filter { $0.1 == .stored }.map(\.0.uuid)
                stored.append(stored[stored.count - 1].union(new))
                erased.append(erased[erased.count - 1])
                files.mark(stored.count - 1)
                if batch % 7 == 6 { try store.checkpoint() }
                if batch == 15 {
                    // From here on each of these notifications may be gone, and after the answer all of them are.
                    let gone = Self.uuids(ofGone: items)
                    stored.append(stored[stored.count - 1].subtracting(gone))
                    erased.append([])
                    files.mark(stored.count - 1)
                    _ = try store.erase(.originalTransaction(Self.gone))
                    stored.append(stored[stored.count - 1])
                    erased.append(gone)
                    files.mark(stored.count - 1)
                }
                if batch == 19 { try store.compact() }
            }
        }
        records = files.records()
        self.stored = stored
        self.erased = erased
        self.items = items
    }

    private static let gone = Sample.Period(number: 0, subscriber: 2).originalTransactionID

    static func uuids(ofGone items: [StoreItem]) -> Set<String> {
        let all = items.filter { item in
            guard case .notification(let notification) = item.content,
                case .sound(let part) = notification.transaction
            else { return false }
            return part.columns.originalTransactionID == gone
        }
        return Set(all.map(\.uuid))
    }

    func told(before call: Int) -> (stored: Set<String>, erased: Set<String>) {
        let last = records[..<call].last { $0.call == RECORDED_MARK }?.offset ?? 0
        return (stored[last], erased[last])
    }
}

@Suite("A power cut", .serialized)
struct PowerLossTests {
    /// What a power cut must not do to a store.
    private enum Violation: Hashable {
        case notOpened(code: String)
        case damaged
        case lost
        case twice
        case cameBack
        case notRebuilt
    }

    /// Builds the files that a cut before the call number `call` leaves, opens the store, and compares it with what the
    /// program had been told. Then sends everything again, as Apple does, and compares anew.
    private func violations(
        of run: RecordedRun, cutBefore call: Int, _ cut: CachedDisk.Cut, _ generator: inout SeededGenerator
    ) throws -> Set<Violation> {
        var disk = CachedDisk()
        for record in run.records[..<call] { disk.apply(record) }
        let folder = try TemporaryDirectory()
        try disk.cut(cut, using: &generator, into: folder)
        let (stored, erased) = run.told(before: call)
        var found: Set<Violation> = []
        do {
            var options = StoreOptions(access: .create)
            options.lockMilliseconds = 100
            let address = try StoreAddress("sqlite:\(folder.path(of: "store.db"))")
            let store = try NotificationStore(address, options)
            if try !store.check().isEmpty { found.insert(.damaged) }
            var uuids = try Self.uuids(store)
            if Set(uuids).count != uuids.count { found.insert(.twice) }
            if !stored.subtracting(erased).isSubset(of: uuids) { found.insert(.lost) }
            if !erased.isDisjoint(with: uuids) { found.insert(.cameBack) }
            let outcomes = store.store(run.items)
            if !outcomes.allSatisfy(\.isSettled) { found.insert(.lost) }
            uuids = try Self.uuids(store)
            let wanted = Set(run.items.map(\.uuid)).subtracting(erased)
            if uuids.count != Set(uuids).count { found.insert(.twice) }
            if !erased.isDisjoint(with: uuids) { found.insert(.cameBack) }
            if !wanted.subtracting(uuids).isSubset(of: RecordedRun.uuids(ofGone: run.items)) {
                found.insert(.lost)
            }
            if call % 8 == 0 {
                let rebuilt = Set(try store.jws(.notification, count: 1000).rows.map(\.jws))
                if !rebuilt.isSubset(of: run.items.map(\.jws)) { found.insert(.notRebuilt) }
            }
        } catch let error as NotificationStoreError {
            found.insert(.notOpened(code: error.code))
        }
        return found
    }

    private static func uuids(_ store: NotificationStore) throws -> [String] {
        try store.notifications(NotificationFilter(), StorePage(count: 1000)).rows.map(\.uuid)
    }

    private static let isLong = ProcessEnvironment.value(of: "RETENTION_LONG_TESTS") == "1"

    /// The calls before which the power is cut: in the gate a sample, in the long run 500 and more, or every one.
    private func points(_ run: RecordedRun, _ count: Int) -> [Int] {
        let step = max(1, run.records.count / (Self.isLong ? 500 : count))
        return Array(stride(from: 0, through: run.records.count, by: step))
    }

    @Test("loses nothing that was confirmed, brings nothing back, and leaves a sound file")
    func cuts() throws {
        var generator = SeededGenerator(for: "power cuts")
        let run = try RecordedRun()
        let points = points(run, 30)
        for point in points {
            for cut in CachedDisk.Cut.allCases {
                let found = try violations(of: run, cutBefore: point, cut, &generator)
                #expect(found.isEmpty, "cut before call \(point) of \(run.records.count), \(cut): \(found)")
            }
        }
        #expect(points.count >= (Self.isLong ? min(500, run.records.count) : 30))
        print("figures: \(points.count * 3) power cuts in a run of \(run.records.count) calls")
    }

    @Test("is noticed by these tests when commits do not wait for the disk")
    func negativeControl() throws {
        var generator = SeededGenerator(for: "power cuts without waiting")
        let run = try RecordedRun(waitsForDisk: false)
        var found: Set<Violation> = []
        for point in points(run, 12) {
            for cut in CachedDisk.Cut.allCases {
                found.formUnion(try violations(of: run, cutBefore: point, cut, &generator))
            }
        }
        #expect(found.contains(.lost), "\(found)")
    }
}
