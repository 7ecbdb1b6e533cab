/// The bounds of a load. The configuration has the bounds of single files.
package enum LoaderLimits {
    /// The largest `retentiond.json` in bytes; usual ones are kilobytes.
    package static let configurationByteCount = 4 << 20
    /// The largest PEM file of anchors in bytes; usual ones are kilobytes.
    package static let anchorByteCount = 1 << 20
    /// The largest number of data files in one generation.
    package static let fileCount = 256
    /// The largest number of names in `dataDirectory`, whatever they name.
    package static let nameCount = 4096
    /// The largest manifest in bytes: the configuration, its anchors and a line for each file.
    package static let manifestByteCount = 16 << 20
    /// The largest reply of a loader in bytes.
    package static let replyByteCount = 1 << 20
    /// The longest drain time in a loader's reply, in milliseconds. A configuration cannot ask for more, so a longer
    /// time does not come from our loader.
    static let drainMilliseconds: Int64 = 3_600_000
    /// Seconds of processor time after which the kernel ends a loader.
    package static let processorSeconds: UInt64 = 60
    /// The address space of a loader in bytes, in addition to the largest file: for libraries, the configuration and
    /// work.
    package static let addressSpaceByteCount: UInt64 = 1 << 30
    /// A file larger than this many bytes must not be nearly all holes, because the loader copies all of it before the
    /// check.
    package static let holeByteCount = 16 << 20
    /// One byte in this many must be outside of holes. A program that copies a file may leave holes in place of zeros.
    /// But each row has a key, which is not zero, and with 64 facts a row takes at most 65 times as much space as its
    /// key.
    package static let holeRatio = 128
    /// How far in the future a file may say it was built, in milliseconds: clocks differ, but not by more than a day.
    package static let futureMilliseconds: Int64 = 86_400_000
    /// The descriptor of a worker's socket to the supervisor.
    package static let controlDescriptor: Int32 = 3
    /// The descriptor of the shared counters in a worker.
    package static let countersDescriptor: Int32 = 4
}
