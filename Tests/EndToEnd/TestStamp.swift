import DataFileWriting
import DataFiles
import Synchronization
import System

/// The stamps of the files that these tests push.
enum TestStamp {
    private static let lastGeneration = Mutex<Int64>(0)

    /// A stamp that is newer than all stamps before.
    static func next() -> DataFileStamp {
        let now = Clock.wallMilliseconds()
        let generation = lastGeneration.withLock { last in
            last = max(last + 1, now)
            return last
        }
        return DataFileStamp(generation: generation, builtAtMilliseconds: now, writerVersion: "tests")
    }
}
