internal import DataFiles

/// What a file says about its own making.
public struct DataFileStamp: Sendable, Hashable {
    /// Which of two files is newer; above 0.
    public var generation: Int64
    /// When it is made, milliseconds since 1970; not negative.
    public var builtAtMilliseconds: Int64
    /// The program that makes it; printable ASCII, cut to 24 bytes.
    public var writerVersion: String

    /// Makes one.
    public init(generation: Int64, builtAtMilliseconds: Int64, writerVersion: String) {
        self.generation = generation
        self.builtAtMilliseconds = builtAtMilliseconds
        self.writerVersion = writerVersion
    }

    /// ``writerVersion`` as it stands in a header.
    var writerField: [UInt8] {
        let count = DataFileHeader.writerVersionRange.count
        let text = Array(writerVersion.utf8.filter { (0x20...0x7E).contains($0) }.prefix(count))
        return text + [UInt8](repeating: 0, count: count - text.count)
    }
}
