/// Writes whole numbers and texts in few bytes. A number has seven bits in each byte, the lowest first; the eighth bit says that a
/// further byte follows (the LEB128 form of DWARF, section 7.6).
struct PackedWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func addByte(_ byte: UInt8) { bytes.append(byte) }

    mutating func add(_ content: some Collection<UInt8>) { bytes += content }

    /// Forgets what was written, but keeps the memory.
    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Takes memory for this many bytes.
    init(reservingByteCount count: Int = 0) { bytes.reserveCapacity(count) }
}

/// Reads what ``PackedWriter`` wrote. Every function returns nil when the bytes are damaged.
struct PackedReader {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    var isAtEnd: Bool { place == bytes.endIndex }

    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while place < bytes.endIndex, shift < 64 {
            let byte = bytes[place]
            place += 1
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else { return nil }
            number |= bits << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }

    mutating func bytes(count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - place else { return nil }
        defer { place += count }
        return bytes[place..<place + count]
    }

    mutating func text(byteCount: UInt64) -> String? {
        guard let count = Int(exactly: byteCount), let content = bytes(count: count) else { return nil }
        return String(validating: content, as: UTF8.self)
    }
}

/// A signed number as one without a sign: small ones of both signs become small (0, -1, 1, -2 are 0, 1, 2, 3).
enum ZigZag {
    static func encode(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

    static func decode(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }
}
