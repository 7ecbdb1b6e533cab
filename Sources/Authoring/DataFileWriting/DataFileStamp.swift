internal import DataFiles

/// The part of a facts file's header that says when and by which program it was made.
public struct DataFileStamp: Sendable, Hashable {
    /// The time at which the file is made, in milliseconds since 1970; not negative.
    public var builtAtMilliseconds: Int64
    /// The name and version of the program that makes the file. Printable ASCII, cut to 24 bytes.
    public var writerVersion: String

    public init(builtAtMilliseconds: Int64, writerVersion: String) {
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
