import DataFiles
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
        return isResealed ? DataFileHeader.resealed(damaged) : damaged
    }
}
