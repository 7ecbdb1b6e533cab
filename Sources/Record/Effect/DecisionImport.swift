internal import Cryptography
internal import Dispatch
package import NotificationStore
internal import Synchronization
internal import System

/// What ``DecisionImport`` read.
package struct DecisionImportReport: Sendable, Hashable {
    package struct App: Sendable, Hashable {
        /// Apple ID.
        package let app: Int64
        package let environment: String
    }

    /// The records, also those that the store has from another copy.
    package fileprivate(set) var records: [App: Int] = [:]
    /// Lines that a full disk has cut, or that belong to no decision log.
    package fileprivate(set) var brokenLineCount = 0

    package func recordCount(app: Int64, environment: String) -> Int {
        records[App(app: app, environment: environment)] ?? 0
    }

    package var recordCount: Int { records.values.reduce(0, +) }

    fileprivate mutating func add(_ other: DecisionImportReport) {
        records.merge(other.records, uniquingKeysWith: +)
        brokenLineCount += other.brokenLineCount
    }
}

package struct DecisionImportError: CodedError, Hashable, CustomStringConvertible {
    package let code = "report.unusable-log"
    package let description: String
}

/// Reads decision logs into the store: of one host or many, in any order, as they grow, plain or by gzip.
///
/// A file is known again by its first line, whatever its name is by then, and is read on from where it ended. A file that is read
/// twice changes nothing.
package struct DecisionImport {
    private let store: NotificationStore
    /// The decisions that gather before they are sorted and stored; about 100 bytes each.
    private let batchCount: Int
    /// In no lines is the order of anything, so each processor reads some.
    private let gathered = (0..<min(ProcessorCount.usable, 4)).map { _ in GatheredLines() }
    /// How far files were read whose last decisions are not stored yet.
    private var places: [(name: String, place: StoreCursor)] = []
    private var report = DecisionImportReport()

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
        var place = DecisionLogPlace(byteCount: byteCount)
        if let cursor = try store.cursor(named: name), let known = DecisionLogPlace(cursor) {
            // Nothing was written since. A large file need not be unpacked to learn that.
            guard known.byteCount != byteCount else { return }
            if try log.goOn(from: known) {
                place.advance(from: known)
            } else {
                log = try DecisionLogFile(path)
            }
        }
        while true {
            var blocks: [[UInt8]] = []
            while blocks.count < gathered.count, let lines = try log.nextLines() { blocks.append(lines) }
            guard let last = blocks.last else { break }
            place.advance(over: blocks.reduce(0) { $0 + $1.count }, endingWith: last)
            let (all, gathered) = (blocks, gathered)
            DispatchQueue.concurrentPerform(iterations: all.count) { gathered[$0].add(all[$0]) }
            if gathered.reduce(0, { $0 + $1.count }) >= batchCount { try flush() }
        }
        places.append((name, place.cursor))
    }

    package mutating func finish() throws -> DecisionImportReport {
        try flush()
        return report
    }

    /// The name of the place in a file; nil when the file has no whole line yet.
    private static func name(_ path: String) throws -> String? {
        var log = try DecisionLogFile(path)
        return try log.nextLine().map { "decisions:\(SHA256.hash($0.span).hexadecimal)" }
    }

    private mutating func flush() throws {
        var all = DecisionBatch()
        for lines in gathered {
            let (batch, report) = lines.take()
            self.report.add(report)
            all.formUnion(batch)
        }
        if !all.isEmpty { try store.add(all) }
        // Not before what they call read is stored.
        for (name, place) in places { try store.setCursor(place, named: name) }
        places = []
    }
}

/// What some lines of decision logs say.
private final class GatheredLines: Sendable {
    private struct Contents {
        var batch = DecisionBatch()
        var report = DecisionImportReport()
    }

    private let contents = Mutex(Contents())

    var count: Int { contents.withLock { $0.batch.count } }

    func take() -> (batch: DecisionBatch, report: DecisionImportReport) {
        contents.withLock { contents in
            defer { (contents.batch, contents.report) = (DecisionBatch(), DecisionImportReport()) }
            return (contents.batch, contents.report)
        }
    }

    func add(_ lines: [UInt8]) {
        contents.withLock { contents in
            var start = 0
            while let end = ByteComparison.firstIndex(of: 0x0A, in: lines.span, from: start) {
                // A writer ends a line that a full disk has cut with a line feed.
                if end > start {
                    let line = DecisionLine(lines.span.extracting(start..<end))
                    Self.add(line, to: &contents.batch, &contents.report)
                }
                start = end + 1
            }
        }
    }

    private static func add(
        _ line: DecisionLine?, to batch: inout DecisionBatch, _ report: inout DecisionImportReport
    ) {
        switch line {
        case .record(let record, let origin):
            batch.add(record)
            batch.change(instance: origin.instance) {
                $0.seen.insert(origin.sequence)
                $0.digests.insert(record.digest)
                $0.include(time: origin.time)
            }
            let app = DecisionImportReport.App(app: record.app, environment: record.environment)
            report.records[app, default: 0] += 1
        case .rules(let rules):
            batch.add(
                rules: rules.digest, app: rules.app, environment: rules.environment,
                experiments: rules.experiments)
            batch.change(instance: rules.instance) {
                $0.identifierKey = rules.identifierKey
                $0.digests.insert(rules.digest)
                $0.include(time: rules.time)
            }
        case .end(let instance, let sequence):
            batch.change(instance: instance) { $0.lastSequence = max($0.lastSequence ?? 0, sequence) }
        case nil: report.brokenLineCount += 1
        }
    }
}
