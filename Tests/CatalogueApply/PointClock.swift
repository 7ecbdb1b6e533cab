@testable import AppStoreServerAPI
@testable import Catalogue
import System

/// Counts the points at which a process may be killed, and kills it at one of them: from then on nothing has an effect.
final class PointClock {
    private(set) var count = 0
    private(set) var isDead = false
    private let last: Int?

    /// Kills at the point with that number, counted from 1; nil never kills.
    init(killingAt last: Int? = nil) {
        self.last = last
    }

    /// Passes a point. Returns true when the process is dead now.
    func isKilled() -> Bool {
        guard !isDead else { return true }
        count += 1
        isDead = count == last
        return isDead
    }
}

/// Keeps the bytes of a journal in memory, as a file would have them after the process was killed.
final class MemoryStorage: JournalStorage {
    private(set) var bytes: [UInt8]
    private let clock: PointClock

    init(_ bytes: [UInt8], _ clock: PointClock) {
        self.bytes = bytes
        self.clock = clock
    }

    func append(_ line: [UInt8]) throws(SystemCallError) {
        if clock.isKilled() { throw SystemCallError.found(.messageTooLong) }
        let half = line.count / 2
        bytes += line[..<half]
        if clock.isKilled() { throw SystemCallError.found(.messageTooLong) }
        bytes += line[half...]
        if clock.isKilled() { throw SystemCallError.found(.messageTooLong) }
    }

    func synchronize() throws(SystemCallError) {
        if clock.isKilled() { throw SystemCallError.found(.messageTooLong) }
    }
}
