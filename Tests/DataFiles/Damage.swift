import DataFiles
import System
import Testing

/// A change to the sample that opening in full must notice.
struct Damage: Sendable, CustomTestStringConvertible {
    /// What is put in the place.
    enum Value: Sendable {
        case u8(UInt8)
        case u16(UInt16)
        case u32(UInt32)
        case u64(UInt64)
        case i64(Int64)
        /// The number of a string of the sample.
        case string(String)

        var bytes: [UInt8] {
            var buffer = ByteBuffer()
            switch self {
            case .u8(let value): buffer.append(value)
            case .u16(let value): buffer.append(value)
            case .u32(let value): buffer.append(value)
            case .u64(let value): buffer.append(value)
            case .i64(let value): buffer.append(value)
            case .string(let text): buffer.append(SampleModel.number(of: text))
            }
            return buffer.bytes
        }
    }

    /// The defect, in words.
    let name: String
    /// The section it is in; nil for header and section table.
    let section: RulesSection?
    /// Where it is, counted from the start of the section or of the file.
    let offset: Int
    let value: Value
    /// Whether checksums and digest are made to fit afterwards, so that only the check itself can find the defect.
    let isResealed: Bool
    let code: String

    init(
        _ name: String,
        _ section: RulesSection? = nil,
        at offset: Int,
        _ value: Value,
        resealed: Bool = true,
        _ code: String
    ) {
        self.name = name
        self.section = section
        self.offset = offset
        self.value = value
        isResealed = resealed
        self.code = "data-file.\(code)"
    }

    var testDescription: String { name }

    /// The damaged file.
    func apply(to bytes: [UInt8]) throws -> [UInt8] {
        let start = try (section.map { try SampleModel.offset(of: $0) } ?? 0) + offset
        var damaged = bytes
        let new = value.bytes
        try #require(Array(damaged[start..<start + new.count]) != new, "nothing is changed")
        damaged.replaceSubrange(start..<start + new.count, with: new)
        return isResealed ? Self.reseal(damaged) : damaged
    }

    /// Makes checksums and digest fit, as far as the section table still makes sense.
    static func reseal(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        func number(_ offset: Int, _ count: Int) -> Int {
            var value: UInt64 = 0
            for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[offset + index]) }
            return Int(truncatingIfNeeded: value)
        }
        guard bytes.count >= 128 else { return bytes }
        for index in 0..<min(number(28, 4), 64) {
            let entry = 128 + index * 32
            guard entry + 32 <= bytes.count else { break }
            let offset = number(entry + 8, 8)
            let count = number(entry + 16, 8)
            guard offset >= 0, offset <= bytes.count, count >= 0, count <= bytes.count - offset else {
                continue
            }
            let checksum = Array(bytes[offset..<offset + count]).span.withRawBytes { CRC32C.checksum($0) }
            bytes.replaceSubrange(entry + 24..<entry + 28, with: Value.u32(checksum).bytes)
        }
        return RulesFileWriter.sealed(bytes)
    }
}
