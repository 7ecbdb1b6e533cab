public import Cryptography
public import DataFiles
public import JSON
public import Vocabulary

/// What a manifest says of one data file of its generation.
public struct ManifestFile: Sendable, Hashable {
    /// The name in `dataDirectory`.
    public let name: String
    /// What it holds.
    public let kind: DataFileKind
    /// The app it serves.
    public let appAppleId: Int64
    /// The environment it serves.
    public let environment: Environment
    /// Its generation number.
    public let generation: Int64
    /// When it was built, milliseconds since 1970.
    public let builtAtMilliseconds: Int64
    /// The digest it states of itself.
    public let digest: SHA256Digest
    /// Its length.
    public let byteCount: Int

    /// A file with this header.
    public init(name: String, header: DataFileHeader) {
        self.name = name
        kind = header.kind
        appAppleId = header.appAppleId
        environment = header.environment
        generation = header.generation
        builtAtMilliseconds = header.builtAtMilliseconds
        digest = header.digest
        byteCount = header.fileByteCount
    }

    private init(_ other: ManifestFile, name: String) {
        self.name = name
        kind = other.kind
        appAppleId = other.appAppleId
        environment = other.environment
        generation = other.generation
        builtAtMilliseconds = other.builtAtMilliseconds
        digest = other.digest
        byteCount = other.byteCount
    }

    /// The same file under another name.
    func named(_ name: String) -> ManifestFile { ManifestFile(self, name: name) }

    /// Whether both are for the same app, environment and kind.
    func hasSameRole(as other: ManifestFile) -> Bool {
        appAppleId == other.appAppleId && environment == other.environment && kind == other.kind
    }

    /// As JSON; `extra` members follow.
    public func node(extra: [(String, JSONNode)] = []) -> JSONNode {
        .object(
            [
                ("name", .string(name)), ("kind", .string(kind.name)), ("appAppleId", .integer(appAppleId)),
                ("environment", .string(environment.rawValue)), ("generation", .integer(generation)),
                ("builtAtMilliseconds", .integer(builtAtMilliseconds)),
                ("digest", .string(digest.hexadecimal)), ("byteCount", .integer(Int64(byteCount))),
            ] + extra
        )
    }

    /// Reads what ``node(extra:)`` wrote; nil for anything else.
    init?(_ value: JSONValue) {
        guard let name = value.member("name")?.string, DataFileName.isValid(name),
            let kindName = value.member("kind")?.string,
            let kind = DataFileKind.allCases.first(where: { $0.name == kindName }),
            let app = value.member("appAppleId")?.int64, app > 0,
            let environment = value.member("environment")?.string.flatMap(Environment.init(rawValue:)),
            let generation = value.member("generation")?.int64, generation > 0,
            let built = value.member("builtAtMilliseconds")?.int64,
            let digest = value.member("digest")?.string.flatMap(SHA256Digest.init(hexadecimal:)),
            let byteCount = value.member("byteCount")?.int64, byteCount > 0
        else { return nil }
        self.name = name
        self.kind = kind
        appAppleId = app
        self.environment = environment
        self.generation = generation
        builtAtMilliseconds = built
        self.digest = digest
        self.byteCount = Int(byteCount)
    }
}
