import Facts
import FuzzBodies
import Support
import System
import Testing

/// A change to the sample of a facts file. Opening the file with all checks must notice it.
struct FactsDamage: Sendable, CustomTestStringConvertible {
    typealias Value = DamageValue

    /// The defect, in words.
    let testDescription: String
    /// The section that is changed; nil for header and section table.
    let section: FactsSection?
    /// The place of the change, counted from the start of the section or of the file; from the section's end when
    /// negative.
    let offset: Int
    let value: Value
    /// True when checksums and digest are made to fit afterwards, so that only the check itself can find the defect.
    let isResealed: Bool
    let code: String

    init(
        _ name: String, _ section: FactsSection? = nil, at offset: Int, _ value: Value,
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
        #expect(FactsSample.refusal(damaged) == code)
        FactsSample.fuzz(damaged)
    }

    private func apply() throws -> [UInt8] {
        var start = offset
        if let section {
            let place = try FactsSample.place(of: section)
            start += offset < 0 ? place.offset + place.byteCount : place.offset
        }
        var damaged = FactsSample.bytes
        let new = value.bytes
        try #require(Array(damaged[start..<start + new.count]) != new, "the sample already has this value")
        damaged.replaceSubrange(start..<start + new.count, with: new)
        return isResealed ? DataFileHeader.resealed(damaged) : damaged
    }
}

/// The value that is written at the place.
enum DamageValue: Sendable {
    case u8(UInt8)
    case u16(UInt16)
    case u32(UInt32)
    case u64(UInt64)
    case i64(Int64)

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
        }
        return buffer
    }
}

/// Damage of the header and of the strings.
extension FactsDamage {
    /// Damages every field of the header in turn.
    ///
    /// - Parameters:
    ///   - otherKind: the number of another kind of file, which is known.
    ///   - sectionCount: the number of sections of the sample.
    /// - Returns: a row for each change.
    static func header(otherKind: UInt16, sectionCount: UInt32) -> [Self] {
        [
            Self("wrong magic", at: 0, .u8(0x88), "bad-magic"),
            Self("line ends changed in transfer", at: 4, .u16(0x0A0A), "bad-magic"),
            Self("major version 0", at: 8, .u16(0), "unsupported-version"),
            Self("major version 2", at: 8, .u16(2), "unsupported-version"),
            Self("header size too small", at: 12, .u32(120), "bad-header"),
            Self("header size too large", at: 12, .u32(136), "bad-header"),
            Self("file size 0", at: 16, .u64(0), "trailing-bytes"),
            Self("file size too large", at: 16, .u64(1 << 20), "truncated"),
            Self("file size beyond everything", at: 16, .u64(.max), "truncated"),
            Self("no kind", at: 24, .u16(0), "wrong-kind"),
            Self("another kind", at: 24, .u16(otherKind), "wrong-kind"),
            Self("unknown kind", at: 24, .u16(3), "wrong-kind"),
            Self("no environment", at: 26, .u16(0), "bad-environment"),
            Self("unknown environment", at: 26, .u16(5), "bad-environment"),
            Self("no sections", at: 28, .u32(0), "bad-header"),
            Self("a section too few", at: 28, .u32(sectionCount - 1), "misplaced-section"),
            Self("a section too many", at: 28, .u32(sectionCount + 1), "misplaced-section"),
            Self("more sections than the limit", at: 28, .u32(65), "bad-header"),
            Self("sections beyond everything", at: 28, .u32(.max), "bad-header"),
            Self("no app", at: 32, .i64(0), "bad-header"),
            Self("negative app", at: 32, .i64(-1), "bad-header"),
            Self("negative build time", at: 48, .i64(-1), "bad-header"),
            Self("section table elsewhere", at: 56, .u64(136), "bad-header"),
            Self("line feed in the writer", at: 64, .u8(0x0A), "bad-header"),
            Self("byte after the writer", at: 87, .u8(0x41), "bad-header"),
            Self("reserved bytes", at: 88, .u64(1), "bad-header"),
            Self("wrong digest", at: 96, .u64(0), resealed: false, "bad-digest"),
            Self("build time without new digest", at: 48, .i64(7), resealed: false, "bad-digest"),
        ]
    }

    /// Damages the pool of strings and its index.
    static var strings: [Self] {
        [
            Self("string not UTF-8", .strings, at: 0, .u8(0xFF), "bad-string"),
            Self("strings out of order", .strings, at: 0, .u8(0x7A), "unordered"),
            Self("pool begins late", .stringIndex, at: 0, .u32(1), "bad-string"),
            Self("string beyond the pool", .stringIndex, at: 4, .absent, "bad-string"),
            Self("string that ends before it begins", .stringIndex, at: 8, .u32(0), "bad-string"),
            Self("pool that ends early", .stringIndex, at: -4, .u32(300), "bad-string"),
            Self("byte of a section", .strings, at: 3, .u8(0x7A), resealed: false, "bad-section-checksum"),
        ]
    }
}
