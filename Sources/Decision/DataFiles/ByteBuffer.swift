/// Bytes being written: integers little-endian, without padding.
public struct ByteBuffer: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Starts empty.
    public init() {}

    /// Appends an integer, least significant byte first.
    public mutating func append(_ value: some FixedWidthInteger) {
        var rest = value
        for _ in 0..<value.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest = value.bitWidth > 8 ? rest >> 8 : 0
        }
    }

    /// Appends bytes as they are.
    public mutating func append(contentsOf other: [UInt8]) {
        bytes += other
    }

    /// Appends zeros until the length is a multiple of eight.
    public mutating func pad() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }
}
