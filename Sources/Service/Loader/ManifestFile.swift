public import Cryptography
public import DataFiles
public import JSON
public import Vocabulary

/// The entry of one data file in the manifest of its generation.
public struct ManifestFile: Sendable, Hashable {
    /// The name of the file in `dataDirectory`.
    public let name: String
    /// The kind of the file: rules or facts.
    public let kind: DataFileKind
    /// The App Store's number of the app that the file is for.
    public let appAppleId: Int64
    public let environment: Environment
    /// The author's name of this version of the rules; nil without one, and for facts.
    public let revision: String?
    /// The time at which a facts file was built, in milliseconds since 1970; nil for rules.
    public let builtAtMilliseconds: Int64?
    /// The SHA-256 of the rules; of a facts file, the digest in its header.
    public let digest: SHA256Digest
    /// The length of the file in bytes.
    public let byteCount: Int
    /// The number of rows of a facts file; nil for rules.
    public let rowCount: Int?

    init(name: String, facts header: DataFileHeader, rowCount: Int) {
        self.name = name
        kind = .facts
        appAppleId = header.appAppleId
        environment = header.environment
        revision = nil
        builtAtMilliseconds = header.builtAtMilliseconds
        digest = header.digest
        byteCount = header.fileByteCount
        self.rowCount = rowCount
    }

    init(name: String, rules: RulesFile, byteCount: Int) {
        self.name = name
        kind = .rules
        appAppleId = rules.appAppleId
        environment = rules.environment
        revision = rules.revision
        builtAtMilliseconds = nil
        digest = rules.digest
        self.byteCount = byteCount
        rowCount = nil
    }

    private init(_ other: ManifestFile, name: String) {
        self.name = name
        kind = other.kind
        appAppleId = other.appAppleId
        environment = other.environment
        revision = other.revision
        builtAtMilliseconds = other.builtAtMilliseconds
        digest = other.digest
        byteCount = other.byteCount
        rowCount = other.rowCount
    }

    /// The name of the file that workers map, in the directory of the generation.
    var mappedName: String { kind == .rules ? Self.mappedName(of: name) : name }

    /// Returns the name of the mapped form of pushed rules.
    static func mappedName(of name: String) -> String { "\(name).mapped" }

    /// Returns the same entry under another name.
    func named(_ name: String) -> ManifestFile { ManifestFile(self, name: name) }

    /// Returns true when both files are of the same kind, for the same app and environment.
    func hasSameRole(as other: ManifestFile) -> Bool {
        appAppleId == other.appAppleId && environment == other.environment && kind == other.kind
    }

    /// Returns the entry as a JSON object, with the members of `extra` at the end.
    public func node(extra: [(String, JSONNode)] = []) -> JSONNode {
        let revision: [(String, JSONNode)] = revision.map { [("revision", .string($0))] } ?? []
        let built: [(String, JSONNode)] =
            builtAtMilliseconds.map { [("builtAtMilliseconds", .integer($0))] } ?? []
        let rows: [(String, JSONNode)] = rowCount.map { [("rows", .integer(Int64($0)))] } ?? []
        return .object(
            [
                ("name", .string(name)), ("kind", .string(kind.name)), ("appAppleId", .integer(appAppleId)),
                ("environment", .string(environment.rawValue)),
            ] + revision + built + [
                ("digest", .string(digest.hexadecimal)), ("byteCount", .integer(Int64(byteCount))),
            ] + rows + extra
        )
    }

    /// Reads an object that ``node(extra:)`` wrote; nil for any other value.
    init?(_ value: JSONValue) {
        guard let name = value.member("name")?.string, DataFileName.isValid(name),
            let kindName = value.member("kind")?.string,
            let kind = DataFileKind.allCases.first(where: { $0.name == kindName }),
            let app = value.member("appAppleId")?.int64, app > 0,
            let environment = value.member("environment")?.string.flatMap(Environment.init(rawValue:)),
            let digest = value.member("digest")?.string.flatMap(SHA256Digest.init(hexadecimal:)),
            let byteCount = value.member("byteCount")?.int64, byteCount > 0
        else { return nil }
        rowCount = value.member("rows")?.int64.map { Int($0) }
        self.name = name
        self.kind = kind
        appAppleId = app
        self.environment = environment
        revision = value.member("revision")?.string
        builtAtMilliseconds = value.member("builtAtMilliseconds")?.int64
        self.digest = digest
        self.byteCount = Int(byteCount)
    }
}
