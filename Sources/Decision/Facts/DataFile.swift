public import System

/// Why a data file was not opened: what is wrong, in which section and at which byte of the file.
public struct DataFileError: CodedError, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case truncated = "truncated"
        case trailingBytes = "trailing-bytes"
        case badMagic = "bad-magic"
        /// The file's major version is not this program's, or its minor version is smaller than this program's.
        case unsupportedVersion = "unsupported-version"
        case badHeader = "bad-header"
        /// The file is of another kind than the caller asked for, or of an unknown kind.
        case wrongKind = "wrong-kind"
        case badEnvironment = "bad-environment"
        case badDigest = "bad-digest"
        case unalignedSection = "unaligned-section"
        case misplacedSection = "misplaced-section"
        case sectionOutside = "section-outside"
        case duplicateSection = "duplicate-section"
        case missingSection = "missing-section"
        /// The length of a section is not a multiple of the width of its entries, or gives a number of entries that is
        /// not allowed.
        case badSectionLength = "bad-section-length"
        case badSectionChecksum = "bad-section-checksum"
        /// A string is not UTF-8 or is too long, or `stringIndex` does not divide the bytes of `strings` correctly.
        case badString = "bad-string"
        /// A reference names an entry that does not exist, or not the entry that must come next.
        case badReference = "bad-reference"
        /// A field has a value without a meaning, or a reserved byte is not zero.
        case badValue = "bad-value"
        case unordered = "unordered"
        /// The file needs something that this program cannot do; ignoring it would change decisions.
        case unknownFeature = "unknown-feature"
        case factMissing = "fact-missing"
        case factTypeMismatch = "fact-type-mismatch"
    }

    public let reason: Reason
    /// The name of the section as in FORMAT.md; nil for the header and the section table.
    public let section: String?
    /// The offset of the bytes that are wrong, in bytes from the start of the file.
    public let offset: Int
    /// The name of the fact; nil for the other reasons.
    public let name: String?

    public init(_ reason: Reason, section: String? = nil, offset: Int, name: String? = nil) {
        self.reason = reason
        self.section = section
        self.offset = offset
        self.name = name
    }

    init(_ reason: Reason, _ section: FactsSection, _ offset: Int) {
        self.init(reason, section: section.name, offset: offset)
    }

    public var code: String { "data-file.\(reason.rawValue)" }

    public var description: String {
        let subject = name.map { " \"\($0)\"" } ?? ""
        let place = section.map { " in section \($0)" } ?? ""
        return "\(reason.rawValue)\(subject)\(place) at byte \(offset)"
    }
}

/// Far above what an app needs; they keep the arithmetic on counts and widths below overflow.
public enum DataFileLimits {
    public static let sectionCount = 64
    /// The dates that RFC 3339 can express, in milliseconds since 1970: 0000-01-01 to the end of 9999.
    public static let dateRange: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
    /// The most facts of a rules file and columns of a facts file: a decision keeps them in storage of fixed size.
    public static let factCount = 64
    /// The most segments of a rules file: a decision keeps their results in storage of fixed size.
    public static let segmentCount = 256
    public static let bucketCount = 10_000
    /// More days than lie between any two dates, and few enough that their milliseconds fit in 64 bits.
    public static let dayCount: Int64 = 3_660_000
    public static let ruleCount = 10_000
    public static let conditionCount = 100_000
    public static let fallbackStepCount = 16
    /// A condition with more products counts as one for any product, so that the index of rules stays small.
    public static let indexedProductCount = 512
    /// A decision may hash such a string for each rollout and each set of arms.
    public static let factStringByteCount = 1_024
    /// How deep `all`, `any` and `not` may nest (retention-rules(5)). A predicate may stand one level below.
    public static let conditionDepth = 8
}

/// Tells which names in `dataDirectory` are data files. The dot files under which rsync writes never match.
public enum DataFileName {
    public static func kind(of name: String) -> DataFileKind? {
        let bytes = Array(name.utf8)
        guard let first = bytes.first, isWord(first), bytes.count <= 255,
            bytes.allSatisfy({ isWord($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        if bytes.count > 11, name.hasSuffix(".rules.json") { return .rules }
        if bytes.count > 6, name.hasSuffix(".facts") { return .facts }
        return nil
    }

    public static func isValid(_ name: String) -> Bool { kind(of: name) != nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

public enum DataFileKind: String, Sendable, Hashable, CaseIterable {
    case rules
    case facts

    public var name: String { rawValue }
}
