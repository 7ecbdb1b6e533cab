import DataFileWriting
import DataFiles
import Support
import System
import Testing

/// A change to a sample. Opening the file with all checks must notice it.
struct SampleDamage<Sample: BreakableSample>: Sendable, CustomTestStringConvertible {
    typealias Value = DamageValue

    /// The defect, in words.
    let testDescription: String
    /// The section that is changed; nil for header and section table.
    let section: Sample.Section?
    /// The place of the change, counted from the start of the section or of the file; from the section's end when
    /// negative.
    let offset: Int
    let value: Value
    /// True when checksums and digest are made to fit afterwards, so that only the check itself can find the defect.
    let isResealed: Bool
    let code: String

    init(
        _ name: String, _ section: Sample.Section? = nil, at offset: Int, _ value: Value,
        resealed: Bool = true, _ code: String
    ) {
        testDescription = name
        self.section = section
        self.offset = offset
        self.value = value
        isResealed = resealed
        self.code = "data-file.\(code)"
    }

    /// Damages the sample, and checks that it is refused with the code.
    func check() throws {
        let damaged = try apply()
        #expect(Sample.refusal(damaged) == code)
        Sample.fuzz(damaged)
    }

    private func apply() throws -> [UInt8] {
        var start = offset
        if let section {
            let place = try Sample.place(of: section)
            start += offset < 0 ? place.offset + place.byteCount : place.offset
        }
        var damaged = Sample.bytes
        let new = value.bytes
        try #require(Array(damaged[start..<start + new.count]) != new, "the sample already has this value")
        damaged.replaceSubrange(start..<start + new.count, with: new)
        return isResealed ? DataFileHeader.resealed(damaged) : damaged
    }
}

typealias Damage = SampleDamage<SampleModel>
typealias FactsDamage = SampleDamage<FactsSample>

/// The value that is written at the place.
enum DamageValue: Sendable {
    case u8(UInt8)
    case u16(UInt16)
    case u32(UInt32)
    case u64(UInt64)
    case i64(Int64)
    /// The number of a string of the rules sample.
    case string(String)

    /// The reference that refers to nothing.
    static let none = DamageValue.u32(.max)
    /// A reference beyond the end of every table.
    static let absent = DamageValue.u32(999_999)

    var bytes: [UInt8] {
        var buffer: [UInt8] = []
        switch self {
        case .u8(let value): buffer.append(copying: value)
        case .u16(let value): buffer.append(copying: value)
        case .u32(let value): buffer.append(copying: value)
        case .u64(let value): buffer.append(copying: value)
        case .i64(let value): buffer.append(copying: value)
        case .string(let text): buffer.append(copying: SampleModel.number(of: text))
        }
        return buffer
    }
}
