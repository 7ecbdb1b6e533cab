internal import System

/// The one entry of `factsSettings`: what holds for the file as a whole.
struct FactsSettingsRecord: FileRecord, Hashable {
    static var byteCount: Int { 40 }

    /// Zero; no bit is known.
    var flags: UInt32
    /// What a reader must be able to do; no bit is known yet, and an unknown one refuses the file.
    var requiredFeatures: UInt32
    /// The number of rows.
    var rowCount: UInt64
    /// The number of buckets.
    var bucketCount: UInt64
    /// The width of a row in bytes.
    var rowByteCount: UInt32
    /// The width of an entry of the directory in bytes: 4 or 8.
    var directoryByteCount: UInt32
    /// Zero.
    var reserved: UInt64 = 0

    init(rowCount: Int, bucketCount: Int, rowByteCount: Int, directoryByteCount: Int) {
        flags = 0
        requiredFeatures = 0
        self.rowCount = UInt64(rowCount)
        self.bucketCount = UInt64(bucketCount)
        self.rowByteCount = UInt32(rowByteCount)
        self.directoryByteCount = UInt32(directoryByteCount)
    }

    init?(reading bytes: RawSpan, at offset: Int) {
        guard let words: [5 of UInt64] = bytes.words(at: offset) else { return nil }
        flags = UInt32(truncatingIfNeeded: words[0])
        requiredFeatures = UInt32(truncatingIfNeeded: words[0] >> 32)
        rowCount = words[1]
        bucketCount = words[2]
        rowByteCount = UInt32(truncatingIfNeeded: words[3])
        directoryByteCount = UInt32(truncatingIfNeeded: words[3] >> 32)
        reserved = words[4]
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.append(flags)
        buffer.append(requiredFeatures)
        buffer.append(rowCount)
        buffer.append(bucketCount)
        buffer.append(rowByteCount)
        buffer.append(directoryByteCount)
        buffer.append(reserved)
    }
}
