public import System

/// Why a data file was not opened: what is wrong, in which section and at which byte of the file.
public struct DataFileError: CodedError, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The file is shorter than a header, or shorter than its header says.
        case truncated = "truncated"
        /// The file is longer than its header says.
        case trailingBytes = "trailing-bytes"
        /// The file does not begin with the magic bytes of a data file.
        case badMagic = "bad-magic"
        /// The file's major version is not this program's, or its minor version is smaller than this program's.
        case unsupportedVersion = "unsupported-version"
        /// A header field has an impossible value.
        case badHeader = "bad-header"
        /// The file is of another kind than the caller asked for, or of an unknown kind.
        case wrongKind = "wrong-kind"
        /// The header has an environment that does not exist.
        case badEnvironment = "bad-environment"
        /// The digest does not match: some byte of the file has changed.
        case badDigest = "bad-digest"
        /// A section does not start at a multiple of eight.
        case unalignedSection = "unaligned-section"
        /// Sections are out of order, overlap, or have a gap between them.
        case misplacedSection = "misplaced-section"
        /// A section reaches outside the file.
        case sectionOutside = "section-outside"
        /// Two sections have the same kind.
        case duplicateSection = "duplicate-section"
        /// The file lacks a section that every file of its kind has.
        case missingSection = "missing-section"
        /// The length of a section is not a multiple of the width of its entries, or gives a number of entries that is
        /// not allowed.
        case badSectionLength = "bad-section-length"
        /// The checksum of a section does not match.
        case badSectionChecksum = "bad-section-checksum"
        /// A string is not UTF-8 or is too long, or `stringIndex` does not divide the bytes of `strings` correctly.
        case badString = "bad-string"
        /// A reference names an entry that does not exist, or not the entry that must come next.
        case badReference = "bad-reference"
        /// A field has a value without a meaning, or a reserved byte is not zero.
        case badValue = "bad-value"
        /// Entries that readers look up by a key are not in the order of that key.
        case unordered = "unordered"
        /// The file needs something that this program cannot do; ignoring it would change decisions.
        case unknownFeature = "unknown-feature"
        /// The rules need a declared fact that the facts file does not have.
        case factMissing = "fact-missing"
        /// The facts file has a fact that the rules need, but with another kind of value.
        case factTypeMismatch = "fact-type-mismatch"
    }

    public let reason: Reason
    /// The name of the section as in FORMAT.md; nil for the header and the section table.
    public let section: String?
    /// The offset of the bytes that are wrong, in bytes from the start of the file.
    public let offset: Int
    /// The name of the fact that is missing or has another kind of value; nil for the other reasons.
    public let name: String?

    public init(_ reason: Reason, section: String? = nil, offset: Int, name: String? = nil) {
        self.reason = reason
        self.section = section
        self.offset = offset
        self.name = name
    }

    public var code: String { "data-file.\(reason.rawValue)" }

    /// The reason and the place in words: `bad-reference in section rules at byte 1234`.
    public var description: String {
        let subject = name.map { " \"\($0)\"" } ?? ""
        let place = section.map { " in section \($0)" } ?? ""
        return "\(reason.rawValue)\(subject)\(place) at byte \(offset)"
    }
}
