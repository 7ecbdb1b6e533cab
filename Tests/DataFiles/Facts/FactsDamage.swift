import DataFiles
import Testing

/// A change to the sample of a facts file that opening in full must notice.
struct FactsDamage: Sendable, CustomTestStringConvertible {
    /// The defect, in words.
    let testDescription: String
    /// The section it is in; nil for header and section table.
    let section: FactsSection?
    /// Where it is, counted from the start of the section or of the file; from the end when negative.
    let offset: Int
    let value: Damage.Value
    /// Whether checksums and digest are made to fit afterwards, so that only the check itself can find the defect.
    let isResealed: Bool
    let code: String

    init(
        _ name: String,
        _ section: FactsSection? = nil,
        at offset: Int,
        _ value: Damage.Value,
        resealed: Bool = true,
        _ code: String
    ) {
        testDescription = name
        self.section = section
        self.offset = offset
        self.value = value
        isResealed = resealed
        self.code = "data-file.\(code)"
    }

    /// The damaged file.
    func apply(to bytes: [UInt8]) throws -> [UInt8] {
        var start = offset
        if let section {
            let header = try FactsFile(bytes: FactsSample.bytes, check: .full).header
            let found = try #require(header.sections.first { $0.kind == section.rawValue })
            start += offset < 0 ? found.offset + found.byteCount : found.offset
        }
        var damaged = bytes
        let new = value.bytes
        try #require(Array(damaged[start..<start + new.count]) != new, "nothing is changed")
        damaged.replaceSubrange(start..<start + new.count, with: new)
        return isResealed ? DataFileHeader.resealed(damaged) : damaged
    }
}
