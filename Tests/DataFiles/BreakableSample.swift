import DataFiles
import Decisions
import Support
import FuzzBodies
import Testing

/// A sample of one kind of data file, for tests that break it in every way.
protocol BreakableSample {
    associatedtype Section: BreakableSection

    /// The good file.
    static var bytes: [UInt8] { get }
    /// Opens the bytes with all checks.
    static func header(opening bytes: [UInt8]) throws(DataFileError) -> DataFileHeader
    /// Opens and uses any bytes, as the fuzzer of this kind of file does.
    static func fuzz(_ bytes: [UInt8])
}

/// The sections that every kind of file has.
protocol BreakableSection: RawRepresentable<UInt32>, Sendable {
    static var strings: Self { get }
    static var stringIndex: Self { get }
}

extension RulesSection: BreakableSection {}
extension FactsSection: BreakableSection {}

extension SampleModel: BreakableSample {
    typealias Section = RulesSection

    static func header(opening bytes: [UInt8]) throws(DataFileError) -> DataFileHeader {
        try RulesFile(bytes: bytes, check: .full).header
    }

    static func fuzz(_ bytes: [UInt8]) { fuzzRulesFile(bytes.span) }
}

extension FactsSample: BreakableSample {
    typealias Section = FactsSection

    static func header(opening bytes: [UInt8]) throws(DataFileError) -> DataFileHeader {
        try FactsFile(bytes: bytes, check: .full).header
    }

    static func fuzz(_ bytes: [UInt8]) { fuzzFactsFile(bytes.span) }
}

extension BreakableSample {
    /// Opens the bytes. Returns the code of the refusal, or "opened".
    static func refusal(_ bytes: [UInt8]) -> String {
        do throws(DataFileError) {
            _ = try header(opening: bytes)
            return "opened"
        } catch {
            return error.code
        }
    }

    /// Returns the place of a section in ``bytes``.
    static func place(of section: Section) throws -> DataFileSection {
        let header = try header(opening: bytes)
        return try #require(header.sections.first { $0.kind == section.rawValue })
    }

    /// Returns the sample that the repository keeps for the version in its name. The tests of the writer write it.
    static func kept(as name: String) throws -> [UInt8] {
        try SourceFile.read(SourceFile.root + "/Tests/DataFiles/Samples/" + name)
    }
}

extension SampleModel {
    static func number(of text: String) -> UInt32 {
        let file = try? RulesFile(bytes: bytes, check: .structure)
        return file?.withBytes { bytes in
            file?.tables.strings.find(text.utf8Span.span, in: bytes).number
        } ?? .max
    }
}
