import DataFiles
import Decisions
import Support
import FuzzBodies
import Testing

/// A sample of a kind of data file: what breaking it in every way needs to know of it.
protocol BreakableSample {
    associatedtype Section: BreakableSection

    /// The good file.
    static var bytes: [UInt8] { get }
    /// Opens in full.
    static func header(opening bytes: [UInt8]) throws(DataFileError) -> DataFileHeader
    /// Opens and uses whatever bytes as its fuzzer does.
    static func fuzz(_ bytes: [UInt8])
}

/// The sections of a kind of file: those that every kind has.
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
    /// Opens, expecting a refusal; answers its code.
    static func refusal(_ bytes: [UInt8]) -> String {
        do throws(DataFileError) {
            _ = try header(opening: bytes)
            return "opened"
        } catch {
            return error.code
        }
    }

    /// The place of a section in ``bytes``.
    static func place(of section: Section) throws -> DataFileSection {
        let header = try header(opening: bytes)
        return try #require(header.sections.first { $0.kind == section.rawValue })
    }

    /// The sample as it was kept by the version it is named after; with UPDATE_GOLDEN it is kept anew.
    static func kept(as name: String) throws -> [UInt8] {
        try GoldenFile.keep(bytes, "Tests/DataFiles/Samples/" + name)
    }
}

extension SampleModel {
    /// The number of a string of the sample.
    static func number(of text: String) -> UInt32 {
        let file = try? RulesFile(bytes: bytes, check: .structure)
        return file?.withBytes { bytes in
            file?.tables.strings.find(text.utf8Span.span, in: bytes).number
        } ?? .max
    }
}
