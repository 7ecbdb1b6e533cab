public import Vocabulary

/// Why a data file was not opened: what is wrong, in which section and at which byte of the file.
public struct DataFileError: CodedError, Hashable, CustomStringConvertible {
    /// What is wrong. The raw value is the end of the code.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Fewer bytes than a header, or than the header says.
        case truncated = "truncated"
        /// More bytes than the header says.
        case trailingBytes = "trailing-bytes"
        /// Not one of our files.
        case badMagic = "bad-magic"
        /// A major version of the format that this program does not know.
        case unsupportedVersion = "unsupported-version"
        /// A header field with an impossible value.
        case badHeader = "bad-header"
        /// Another kind of data file than the one asked for, or none that is known.
        case wrongKind = "wrong-kind"
        /// An environment that does not exist.
        case badEnvironment = "bad-environment"
        /// The digest does not match: some byte of the file has changed.
        case badDigest = "bad-digest"
        /// A section does not start at a multiple of eight.
        case unalignedSection = "unaligned-section"
        /// Sections out of order, overlapping, or with a gap between them.
        case misplacedSection = "misplaced-section"
        /// A section that reaches outside the file.
        case sectionOutside = "section-outside"
        /// Two sections of one kind.
        case duplicateSection = "duplicate-section"
        /// A section that this kind of file must have is not there.
        case missingSection = "missing-section"
        /// A section whose length is no multiple of its entries', or more entries than the limit.
        case badSectionLength = "bad-section-length"
        /// The checksum of a section does not match.
        case badSectionChecksum = "bad-section-checksum"
        /// A string that is not UTF-8, or one that is not where the order wants it.
        case badString = "bad-string"
        /// A number that names no entry.
        case badReference = "bad-reference"
        /// A value that means nothing, or a reserved byte that is not zero.
        case badValue = "bad-value"
        /// Entries that are looked up by a key and are not in its order.
        case unordered = "unordered"
        /// A condition that is no tree, or too deep.
        case badCondition = "bad-condition"
        /// Locale fallbacks that go round in a circle.
        case localeCycle = "locale-cycle"
        /// The file needs something that this program cannot do; ignoring it would change decisions.
        case unknownFeature = "unknown-feature"
        /// Neither a rule nor a default.
        case noRules = "no-rules"
        /// The index of rules by product is not the one that follows from the rules.
        case indexMismatch = "index-mismatch"
        /// A decision by these rules could take longer than a server has.
        case tooMuchWork = "too-much-work"
        /// The rules declare a fact that the facts file does not have.
        case factMissing = "fact-missing"
        /// The rules declare a fact with another kind of value than the facts file has.
        case factTypeMismatch = "fact-type-mismatch"
    }

    /// What is wrong.
    public let reason: Reason
    /// The section, as FORMAT.md names it; nil for the header and the section table.
    public let section: String?
    /// The offset in the file, in bytes, of what is wrong.
    public let offset: Int
    /// The name of what is wrong, where it has one: a fact.
    public let name: String?

    /// Names what is wrong and where.
    public init(_ reason: Reason, section: String? = nil, offset: Int, name: String? = nil) {
        self.reason = reason
        self.section = section
        self.offset = offset
        self.name = name
    }

    /// `data-file.` and the reason.
    public var code: String { "data-file.\(reason.rawValue)" }

    /// `bad-reference in section rules at byte 1234`
    public var description: String {
        let subject = name.map { " \"\($0)\"" } ?? ""
        let place = section.map { " in section \($0)" } ?? ""
        return "\(reason.rawValue)\(subject)\(place) at byte \(offset)"
    }
}
