internal import Cryptography
internal import Dispatch
package import NotificationStore
internal import Synchronization
internal import System

/// What ``DecisionImport`` read.
package struct DecisionImportReport: Sendable, Hashable {
    /// The records of all apps, also those that the store has from another copy.
    package internal(set) var recordCount = 0
    /// Lines that a full disk has cut, or that belong to no decision log.
    package internal(set) var brokenLineCount = 0

    fileprivate mutating func add(_ other: DecisionImportReport) {
        recordCount += other.recordCount
        brokenLineCount += other.brokenLineCount
    }
}

package struct DecisionImportError: CodedError, Hashable, CustomStringConvertible {
    package let code = "report.unusable-log"
    package let description: String
}

/// Reads decision logs into the store: of one host or many, in any order, as they grow, plain or by gzip.
///
/// A file is known again by its first record, whatever its name is by then, and is read on from where it ended. A file that is
/// read twice changes nothing.
package struct DecisionImport {
    private let store: NotificationStore
    /// The decisions that gather before they are sorted and stored; about 100 bytes each.
    private let batchCount: Int
    /// In no lines is the order of anything, so each processor reads some.
    private let gathered = (0..<min(ProcessorCount.usable, 4)).map { _ in Gathered() }
    /// How far files were read whose last decisions are not stored yet.
    private var places: [(name: String, place: StoreCursor)] = []
    private var report = DecisionImportReport()

    private final class Gathered: Sendable {
        let lines = Mutex(DecisionLines())
    }

    package init(into store: NotificationStore, batchCount: Int = 500_000) {
        (self.store, self.batchCount) = (store, batchCount)
    }

    package static func run(_ paths: [String], into store: NotificationStore) throws -> DecisionImportReport {
        var reading = DecisionImport(into: store)
        for path in paths { try reading.read(path) }
        return try reading.finish()
    }

    package mutating func read(_ path: String) throws {
        do {
            try readNewLines(path)
        } catch let error as SystemCallError {
            throw DecisionImportError(description: "\(path): \(error)")
        }
    }

    private mutating func readNewLines(_ path: String) throws {
        let byteCount = try FileStatus(path: path).byteCount
        guard let name = try Self.name(path) else { return }
        var log = try DecisionLogFile(path)
        var place = DecisionLogPlace()
        if let cursor = try store.cursor(named: name), let known = DecisionLogPlace(cursor) {
            // Nothing was written since. A large file need not be unpacked to learn that.
            guard known.byteCount != byteCount else { return }
            if try log.goOn(from: known) { place = known } else { log = try DecisionLogFile(path) }
        }
        place.byteCount = byteCount
        while true {
            var blocks: [[UInt8]] = []
            while blocks.count < gathered.count, let lines = try log.nextLines() { blocks.append(lines) }
            guard let last = blocks.last else { break }
            place.advance(over: blocks.reduce(0) { $0 + $1.count }, endingWith: last)
            let (all, gathered) = (blocks, gathered)
            DispatchQueue.concurrentPerform(iterations: all.count) { part in
                gathered[part].lines.withLock { $0.add(lines: all[part]) }
            }
            let count = gathered.reduce(0) { $0 + $1.lines.withLock { $0.batch.count } }
            if count >= batchCount { try flush() }
        }
        places.append((name, place.cursor))
    }

    package mutating func finish() throws -> DecisionImportReport {
        try flush()
        return report
    }

    /// The name of the place in a file, by its first record; nil when the file has no whole line yet. A worker writes the same lines
    /// about its rules into all of its files.
    private static func name(_ path: String) throws -> String? {
        var log = try DecisionLogFile(path)
        var name: [UInt8]?
        while let line = try log.nextLine() {
            name = line
            guard line.isEmpty || line.starts(with: #"{"rules""#.utf8) else { break }
        }
        return name.map { "decisions:\(SHA256.hash($0.span).hexadecimal)" }
    }

    private mutating func flush() throws {
        var all = DecisionBatch()
        for part in gathered {
            part.lines.withLock { lines in
                report.add(lines.report)
                all.formUnion(lines.batch)
                lines = DecisionLines()
            }
        }
        if !all.isEmpty { try store.add(all) }
        // Not before what they call read is stored.
        for (name, place) in places { try store.setCursor(place, named: name) }
        places = []
    }
}
