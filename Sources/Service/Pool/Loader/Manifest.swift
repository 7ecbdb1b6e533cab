package import Configuration
package import Cryptography
package import Facts
package import JSON
internal import Rules
internal import SignedPayloads
package import System

/// The table of contents of a generation. A loader writes it, and every worker reads it.
package struct Manifest: Sendable {
    package let sequence: Int
    package let source: LoadSource
    package let loadedAtMilliseconds: Int64
    let loaded: LoadedSettings
    let settings: SHA256Digest
    /// The kernel's name of the boot in which all files were checked. A power cut may damage what a disk said it had.
    let boot: String
    package let files: [ManifestFile]

    package var configuration: Configuration { loaded.configuration }
    package var anchors: [String: [[UInt8]]] { loaded.anchors }
    var publicKeys: [Int64: SHA256Digest] { loaded.publicKeys }

    init(
        sequence: Int, source: LoadSource, loadedAtMilliseconds: Int64, loaded: LoadedSettings,
        boot: String = Self.presentBoot, files: [ManifestFile]
    ) {
        self.sequence = sequence
        self.source = source
        self.loadedAtMilliseconds = loadedAtMilliseconds
        self.loaded = loaded
        settings = loaded.digest
        self.boot = boot
        self.files = files
    }

    var isOfThisBoot: Bool { !boot.isEmpty && boot == Self.presentBoot }

    /// The present boot_id of the kernel (random(4)); empty when it cannot be read.
    static var presentBoot: String {
        let file = try? FileDescriptor.openForReading(path: "/proc/sys/kernel/random/boot_id")
        guard let file, let bytes = try? file.readAll(limitBytes: 64) else { return "" }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    static let name = "manifest.json"
    static let configurationName = "configuration.json"

    var bytes: [UInt8] {
        JSONNode.object(
            [
                ("sequence", .integer(Int64(sequence))), ("source", .string(source.rawValue)),
                ("loadedAtMilliseconds", .integer(loadedAtMilliseconds)), ("boot", .string(boot)),
            ] + loaded.nodes + [("files", .array(files.map { $0.node() }))]
        ).serialized(pretty: true)
    }

    init(parsing bytes: [UInt8], configuration text: [UInt8]) throws(ServiceError) {
        let limits = JSONLimits(byteCount: LoaderLimits.manifestByteCount, depth: 6)
        guard let document = try? JSONDocument(parsing: bytes.span, limits: limits),
            let sequence = document.root.member("sequence")?.int64,
            let source = document.root.member("source")?.string.flatMap(LoadSource.init(rawValue:)),
            let loadedAt = document.root.member("loadedAtMilliseconds")?.int64,
            let boot = document.root.member("boot")?.string,
            let configuration = try? Configuration(parsing: text),
            let loaded = LoadedSettings(configuration, document.root),
            let files = document.root.member("files").flatMap(Self.files)
        else { throw .manifestInvalid }
        self.init(
            sequence: Int(sequence), source: source, loadedAtMilliseconds: loadedAt, loaded: loaded,
            boot: boot, files: files)
    }

    static func read(in directory: String) throws(ServiceError) -> Manifest {
        func bytes(_ name: String) throws(ServiceError) -> [UInt8] {
            let path = "\(directory)/\(name)"
            return try SystemCallError.about(
                path, code: "load-system",
                try FileDescriptor.openForReading(path: path).readAll(
                    limitBytes: LoaderLimits.manifestByteCount))
        }
        return try Manifest(parsing: bytes(name), configuration: bytes(configurationName))
    }

    private static func files(_ value: JSONValue) -> [ManifestFile]? {
        let files = value.elements.compactMap { ManifestFile($0) }
        return value.kind == .array && files.count == value.count ? files : nil
    }

    /// A line for each anchor certificate: subject, validity, SHA-256, and the PEM file or "built-in".
    package var anchorDescriptions: [String] {
        var lines: [String] = []
        let usesApple = configuration.anchors.isEmpty && configuration.apps.contains { $0.anchors.isEmpty }
        if usesApple {
            lines += ((try? AppleRoots.certificates()) ?? []).map { "built-in anchor \(Self.line($0))" }
        }
        for (path, certificates) in anchors.sorted(by: { $0.key < $1.key }) {
            for der in certificates {
                guard let certificate = try? Certificate(der: der.span) else { continue }
                lines.append("\(path): anchor \(Self.line(certificate))")
            }
        }
        return lines
    }

    private static func line(_ certificate: Certificate) -> String {
        let times = [certificate.notBeforeMilliseconds, certificate.notAfterMilliseconds].map { time in
            time.map { CivilTime(milliseconds: $0).description } ?? "unknown"
        }
        let validity = "valid from \(times[0]) to \(times[1])"
        return "\(certificate.subject), \(validity), SHA-256 \(certificate.fingerprint.hexadecimal)"
    }
}

package struct ManifestFile: Sendable, Hashable {
    package private(set) var name: String
    package let kind: DataFileKind
    package let appAppleId: Int64
    package let environment: Environment
    package let revision: String?
    package let builtAtMilliseconds: Int64?
    /// The SHA-256 of the rules; of a facts file, the digest in its header.
    package let digest: SHA256Digest
    package let byteCount: Int
    package let rowCount: Int?

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

    var mappedName: String { kind == .rules ? Self.mappedName(of: name) : name }

    static func mappedName(of name: String) -> String { "\(name).mapped" }

    func named(_ name: String) -> ManifestFile {
        var file = self
        file.name = name
        return file
    }

    func hasSameRole(as other: ManifestFile) -> Bool {
        appAppleId == other.appAppleId && environment == other.environment && kind == other.kind
    }

    package func node(extra: [(String, JSONNode)] = []) -> JSONNode {
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

/// What a load reads before it reads data files: the configuration, its anchors, and the public halves of the keys that sign.
struct LoadedSettings: Sendable {
    let configuration: Configuration
    let anchors: [String: [[UInt8]]]
    /// By `appAppleId`.
    let publicKeys: [Int64: SHA256Digest]

    /// The digest of everything here: what was loaded with the same settings may serve as it is.
    var digest: SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(configuration.effectiveJSON(hidingSecrets: false).span)
        hasher.update(JSONNode.object(nodes).serialized().span)
        return hasher.finalize()
    }

    var nodes: [(String, JSONNode)] {
        let anchors = anchors.sorted { $0.key < $1.key }.map { path, certificates in
            JSONNode.object([
                ("path", .string(path)),
                (
                    "certificates",
                    .array(
                        certificates.map { .string(String(decoding: Base64.encode($0.span), as: UTF8.self)) }
                    )
                ),
            ])
        }
        let keys = publicKeys.sorted { $0.key < $1.key }.map { app, digest in
            JSONNode.object([("appAppleId", .integer(app)), ("sha256", .string(digest.hexadecimal))])
        }
        return [("anchors", .array(anchors)), ("publicKeys", .array(keys))]
    }
}

extension LoadedSettings {
    init?(_ configuration: Configuration, _ manifest: JSONValue) {
        guard let anchorList = manifest.member("anchors"), let keyList = manifest.member("publicKeys") else {
            return nil
        }
        var anchors: [String: [[UInt8]]] = [:]
        for element in anchorList.elements {
            guard let path = element.member("path")?.string, let list = element.member("certificates") else {
                return nil
            }
            var certificates: [[UInt8]] = []
            for certificate in list.elements {
                guard let der = certificate.withUTF8({ Base64.decode($0) }) ?? nil else { return nil }
                certificates.append(der)
            }
            anchors[path] = certificates
        }
        var keys: [Int64: SHA256Digest] = [:]
        for element in keyList.elements {
            guard let app = element.member("appAppleId")?.int64,
                let digest = element.member("sha256")?.string.flatMap(SHA256Digest.init(hexadecimal:))
            else { return nil }
            keys[app] = digest
        }
        self.init(configuration: configuration, anchors: anchors, publicKeys: keys)
    }
}
