import CRecordingFiles
import Support
import Synchronization

/// A layer below SQLite that records what reaches the files, and whose calls fail on demand.
@safe final class RecordingFiles {
    /// The name under which SQLite knows the layer.
    let name: String
    private let layer: OpaquePointer
    private static let count = Atomic<Int>(0)

    init() throws {
        let name = "recording-\(Self.count.add(1, ordering: .relaxed).newValue)"
        guard let layer = unsafe recording_files_make(name) else { throw Failure() }
        self.name = name
        unsafe self.layer = layer
    }

    deinit {
        unsafe recording_files_free(layer)
    }

    struct Failure: Error {}

    /// Lets the call number `after` of these kinds, and every later one, fail with a result of SQLite.
    func fail(_ calls: recorded_call..., after: Int = 0, with result: Int32) {
        let kinds = calls.reduce(0) { $0 | Int32($1.rawValue) }
        unsafe recording_files_fail(layer, kinds, Int64(after), result)
    }

    /// Lets the next call of a kind fail with a result of SQLite, and no later one.
    func failOnce(_ call: recorded_call, with result: Int32) {
        unsafe recording_files_fail_once(layer, Int32(call.rawValue), result)
    }

    /// Lets no call fail any more.
    func heal() { unsafe recording_files_fail(layer, 0, -1, 0) }

    /// True when a call has failed since ``fail(_:after:with:)``.
    var hasFailed: Bool { unsafe recording_files_has_failed(layer) != 0 }

    func mark(_ number: Int) { unsafe recording_files_mark(layer, Int64(number)) }

    func records() -> [Record] {
        let count = unsafe recording_files_count(layer)
        return (0..<count).map { index in
            let record = unsafe recording_files_at(layer, index)
            let bytes = unsafe UnsafeBufferPointer(start: record.bytes, count: Int(record.count))
            return unsafe Record(
                call: record.call, file: record.file, offset: Int(record.offset), bytes: Array(bytes))
        }
    }

    struct Record: Sendable {
        let call: recorded_call
        let file: recorded_file
        let offset: Int
        let bytes: [UInt8]
    }
}

/// The files of a database on a disk that has a cache: what is synchronized is durable, and anything else is there, or
/// partly there, or not there after a power cut.
struct CachedDisk {
    enum Cut: Sendable, CaseIterable {
        case dropsAll
        /// Some sectors of 512 bytes of some writes reach the disk, in any order.
        case keepsSome
        case keepsAll
    }

    private struct File {
        var durable: [UInt8]?
        var waiting: [RecordingFiles.Record] = []
        /// True until a log or a journal that was opened is synchronized: SQLite then synchronizes its directory, too.
        var awaitsDirectory = false

        /// Performs what waits up to the last deletion, because the directory is on the disk now.
        mutating func synchronizeName() {
            guard let last = waiting.lastIndex(where: { $0.call == RECORDED_DELETE }) else { return }
            for record in waiting[...last] { CachedDisk.perform(record, on: &durable) }
            waiting.removeFirst(last + 1)
        }
    }

    private var files: [UInt32: File] = [:]

    mutating func apply(_ record: RecordingFiles.Record) {
        guard record.file != RECORDED_OTHER else { return }
        var file = files[record.file.rawValue] ?? File()
        switch record.call {
        case RECORDED_SYNC:
            for waiting in file.waiting { Self.perform(waiting, on: &file.durable) }
            file.durable = file.durable ?? []
            file.waiting = []
            if file.awaitsDirectory {
                file.awaitsDirectory = false
                for other in files.keys { files[other]?.synchronizeName() }
            }
        case RECORDED_LOST_SYNC:
            // As Linux does: programs go on reading these bytes, but the cache counts them as written.
            file.waiting.removeAll { $0.call == RECORDED_WRITE }
        case RECORDED_OPEN: file.awaitsDirectory = record.file != RECORDED_DATABASE
        default: file.waiting.append(record)
        }
        files[record.file.rawValue] = file
    }

    func cut(_ cut: Cut, using generator: inout SeededGenerator, into folder: TemporaryDirectory) throws {
        let suffixes = [
            RECORDED_DATABASE.rawValue: "", RECORDED_LOG.rawValue: "-wal",
            RECORDED_JOURNAL.rawValue: "-journal",
        ]
        for (kind, suffix) in suffixes {
            guard var file = files[kind] else { continue }
            for record in file.waiting {
                switch cut {
                case .dropsAll: break
                case .keepsAll: Self.perform(record, on: &file.durable)
                case .keepsSome:
                    guard Bool.random(using: &generator) else { continue }
                    Self.perform(record, on: &file.durable) { _ in
                        Int.random(in: 0..<4, using: &generator) > 0
                    }
                }
            }
            if let bytes = file.durable {
                try folder.write(bytes, to: "store.db\(suffix)", permissions: 0o600)
            }
        }
    }

    /// Performs a call on the bytes of a file, but writes only those sectors that `keeps` picks.
    private static func perform(
        _ record: RecordingFiles.Record,
        on bytes: inout [UInt8]?,
        keeps: (Int) -> Bool = { _ in true }
    ) {
        if record.call == RECORDED_DELETE {
            bytes = nil
            return
        }
        var all = bytes ?? []
        if record.call == RECORDED_TRUNCATE {
            if all.count > record.offset { all.removeLast(all.count - record.offset) }
        } else {
            let sector = 512
            var place = 0
            while place < record.bytes.count {
                let start = record.offset + place
                let end = min(start - start % sector + sector, record.offset + record.bytes.count)
                if keeps(start / sector) {
                    if all.count < end { all += [UInt8](repeating: 0, count: end - all.count) }
                    all.replaceSubrange(start..<end, with: record.bytes[place..<place + end - start])
                }
                place += end - start
            }
        }
        bytes = all
    }
}
