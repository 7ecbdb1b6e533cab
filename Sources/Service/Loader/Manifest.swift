public import Configuration
internal import Cryptography
internal import JSON
internal import SignedPayloads
internal import System
internal import Vocabulary

/// The table of contents of a generation. A loader writes it, and every worker reads it.
public struct Manifest: Sendable {
    /// The number of the load that made the generation.
    public let sequence: Int
    /// The place from which the loader took the data files.
    public let source: LoadSource
    /// The time of the load in milliseconds since 1970.
    public let loadedAtMilliseconds: Int64
    /// The kernel's name of the boot in which all files were checked. A power cut may damage what a disk said it had.
    let boot: String
    /// What the generation was made with.
    let loaded: LoadedSettings
    /// The digest of ``loaded``.
    let settings: SHA256Digest
    /// The data files, in the order of their names.
    public let files: [ManifestFile]

    /// The configuration that the generation serves with.
    public var configuration: Configuration { loaded.configuration }
    /// The DER of the certificates in each PEM file that the configuration names, by the path of the file.
    public var anchors: [String: [[UInt8]]] { loaded.anchors }
    /// The public halves of the keys that sign, by `appAppleId`.
    var publicKeys: [Int64: SHA256Digest] { loaded.publicKeys }
    /// True when the files were checked since the machine was started.
    var isOfThisBoot: Bool { !boot.isEmpty && boot == Self.presentBoot }

    init(
        sequence: Int, source: LoadSource, loadedAtMilliseconds: Int64, loaded: LoadedSettings,
        boot: String = Self.presentBoot, files: [ManifestFile]
    ) {
        self.sequence = sequence
        self.source = source
        self.loadedAtMilliseconds = loadedAtMilliseconds
        self.boot = boot
        self.loaded = loaded
        settings = loaded.digest
        self.files = files
    }

    /// The name of the file of the manifest, in the directory of its generation. The configuration stands beside it.
    static let name = "manifest.json"
    static let configurationName = "configuration.json"

    /// The present boot_id of the kernel (random(4)); empty when it cannot be read.
    static var presentBoot: String {
        let file = try? FileDescriptor.openForReading(path: "/proc/sys/kernel/random/boot_id")
        guard let file, let bytes = try? file.readAll(limitBytes: 64) else { return "" }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The manifest as JSON text, without the configuration.
    var bytes: [UInt8] {
        JSONNode.object(
            [
                ("sequence", .integer(Int64(sequence))), ("source", .string(source.rawValue)),
                ("loadedAtMilliseconds", .integer(loadedAtMilliseconds)), ("boot", .string(boot)),
            ] + loaded.nodes + [("files", .array(files.map { $0.node() }))]
        ).serialized(pretty: true)
    }

    /// Parses the JSON texts of a manifest and of its configuration.
    ///
    /// - Throws: `manifest-invalid` for any text that a loader does not write.
    init(parsing bytes: [UInt8], configuration text: [UInt8]) throws(LoadError) {
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

    /// Reads the manifest of the generation in a directory.
    ///
    /// - Throws: `manifest-invalid`; `load-system` when a file cannot be read.
    static func read(in directory: String) throws(LoadError) -> Manifest {
        func bytes(_ name: String) throws(LoadError) -> [UInt8] {
            try SystemCallError.mapped(
                to: LoadError.system,
                try FileDescriptor.openForReading(path: "\(directory)/\(name)")
                    .readAll(limitBytes: LoaderLimits.manifestByteCount))
        }
        return try Manifest(parsing: bytes(name), configuration: bytes(configurationName))
    }

    /// Reads a list of the entries that ``ManifestFile/node(extra:)`` writes; nil for any other value.
    private static func files(_ value: JSONValue) -> [ManifestFile]? {
        guard value.kind == .array, value.count <= LoaderLimits.fileCount else { return nil }
        var files: [ManifestFile] = []
        for element in value.elements {
            guard let file = ManifestFile(element) else { return nil }
            files.append(file)
        }
        return files
    }

    /// A line for each anchor certificate: subject, validity, SHA-256, and the PEM file or "built-in".
    public var anchorDescriptions: [String] {
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
