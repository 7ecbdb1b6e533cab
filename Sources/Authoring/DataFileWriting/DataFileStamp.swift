internal import DataFiles

/// The part of a data file's header that says when, by which program and as which generation it was made.
public struct DataFileStamp: Sendable, Hashable {
    /// The generation of a rules file, above 0: the file with the greater one is newer. Nothing reads that of a facts file.
    public var generation: Int64
    /// The time at which the file is made, in milliseconds since 1970; not negative.
    public var builtAtMilliseconds: Int64
    /// The name and version of the program that makes the file. Printable ASCII, cut to 24 bytes.
    public var writerVersion: String

    /// Creates a stamp; ``generation`` must be above 0, and is the build time if absent.
    public init(generation: Int64? = nil, builtAtMilliseconds: Int64, writerVersion: String) {
        self.generation = generation ?? max(builtAtMilliseconds, 1)
        self.builtAtMilliseconds = builtAtMilliseconds
        self.writerVersion = writerVersion
    }

    /// The bytes of ``writerVersion`` in a header: characters that are not printable ASCII are dropped, and zeros fill
    /// the rest.
    var writerField: [UInt8] {
        let count = DataFileHeader.writerVersionRange.count
        let text = Array(writerVersion.utf8.filter { (0x20...0x7E).contains($0) }.prefix(count))
        return text + [UInt8](repeating: 0, count: count - text.count)
    }
}
