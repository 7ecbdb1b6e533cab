public import Cryptography
public import System
public import Vocabulary

/// The rules of one app in one environment, in the form that the evaluator walks. The loader makes it from a rules
/// source and writes it into the generation, and the workers map it. The form is private to this build: whoever maps a
/// file knows that the same build wrote it, so nothing in it is checked but that the sections lie inside the file.
///
/// It is immutable and shared by reference.
public final class RulesFile: Sendable {
    /// The SHA-256 of the source from which the rules were made.
    public let digest: SHA256Digest
    /// The app that the rules serve, as Apple's number.
    public var appAppleId: Int64 { tables.settings.appAppleId }
    /// The environment that the rules serve.
    public let environment: Environment
    /// The places of the file's sections, for the evaluator.
    public let tables: RulesTables
    private let storage: DataFileBytes

    private typealias Parts = (digest: SHA256Digest, environment: Environment, tables: RulesTables)

    /// Opens what ``bytes(of:digest:)`` made, in memory that nobody changes any more.
    ///
    /// - Throws: `data-file.truncated`, `.bad-section-length`.
    public convenience init(mapping memory: consuming MappedMemory) throws(DataFileError) {
        let parts = try memory.withBytes { bytes throws(DataFileError) in try Self.parts(of: bytes) }
        self.init(.mapped(memory), parts)
    }

    /// Makes the rules of a model in memory. The reader of the source has checked the model.
    public convenience init(_ model: RulesModel, digest: SHA256Digest) {
        let bytes = Self.bytes(of: model, digest: digest)
        guard let parts = try? bytes.span.withRawBytes({ try Self.parts(of: $0) }) else {
            preconditionFailure("the writer made these bytes")
        }
        self.init(.copied(bytes), parts)
    }

    private init(_ storage: consuming DataFileBytes, _ parts: Parts) {
        (digest, environment, tables) = parts
        self.storage = storage
    }

    private static func parts(of bytes: RawSpan) throws(DataFileError) -> Parts {
        let tables = try RulesTables(bytes)
        guard let environment = Environment(dataFileNumber: tables.settings.environment),
            let raw = bytes.bytes(offset: 0, byteCount: RulesPlaces.digestByteCount),
            let digest = SHA256Digest(bytes: raw.span)
        else { throw DataFileError(.truncated, offset: 0) }
        return (digest, environment, tables)
    }

    /// Returns the bytes of the rules file for a model. The same model and digest give the same bytes.
    public static func bytes(of model: RulesModel, digest: SHA256Digest) -> [UInt8] {
        var sections = RulesSectionsWriter(model)
        sections.write()
        var places: [UInt8] = digest.bytes
        var contents: [UInt8] = []
        for section in RulesSection.allCases {
            let bytes = sections.buffers[section] ?? []
            places.append(copying: UInt64(RulesPlaces.byteCount + contents.count))
            places.append(copying: UInt64(bytes.count))
            contents += bytes
            contents += [UInt8](repeating: 0, count: -bytes.count & 7)
        }
        return places + contents
    }

    /// Lends the bytes of the whole file to `body`.
    package func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }
}

extension RulesFile {
    /// The app's bundle identifier.
    public var bundleId: String { string(tables.settings.bundleId) ?? "" }

    /// The author's name of this version, `metadata.revision`; nil when the source has none.
    public var revision: String? { string(tables.settings.revision) }

    /// The number of rules, without the default.
    public var ruleCount: Int { tables.rules.count }

    public var messageCount: Int { tables.messages.count }
}
