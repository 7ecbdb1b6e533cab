public import Configuration
public import Cryptography
public import JSON
internal import SignedPayloads
public import System
internal import Vocabulary

/// The table of contents of a generation. A loader writes it into sealed memory, and every worker reads it.
public struct Manifest: Sendable {
    /// The number of the load that made the generation.
    public let sequence: Int
    /// The place from which the loader took the data files.
    public let source: LoadSource
    /// The time of the load in milliseconds since 1970.
    public let loadedAtMilliseconds: Int64
    /// The configuration that the generation serves with.
    public let configuration: Configuration
    /// The DER of the certificates in each PEM file that the configuration names, by the path of the file.
    public let anchors: [String: [[UInt8]]]
    /// The key of the decision records; nil when the generation writes no records.
    public let identifierKey: IdentifierKey?
    /// The data files, in the order of their descriptors.
    public let files: [ManifestFile]

    init(
        sequence: Int, source: LoadSource, loadedAtMilliseconds: Int64, configuration: Configuration,
        anchors: [String: [[UInt8]]], identifierKey: IdentifierKey? = nil, files: [ManifestFile]
    ) {
        self.sequence = sequence
        self.source = source
        self.loadedAtMilliseconds = loadedAtMilliseconds
        self.configuration = configuration
        self.anchors = anchors
        self.identifierKey = identifierKey
        self.files = files
    }

    /// The manifest as JSON text.
    var bytes: [UInt8] {
        let text = String(decoding: configuration.effectiveJSON(hidingSecrets: false), as: UTF8.self)
        let anchorNodes = anchors.sorted { $0.key < $1.key }.map { path, certificates in
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
        let fileNodes = files.enumerated().map { index, file in
            file.node(extra: [
                ("descriptor", .integer(Int64(LoaderLimits.firstFileDescriptor) + Int64(index)))
            ])
        }
        return JSONNode.object([
            ("sequence", .integer(Int64(sequence))), ("source", .string(source.rawValue)),
            ("loadedAtMilliseconds", .integer(loadedAtMilliseconds)), ("configuration", .string(text)),
            ("anchors", .array(anchorNodes)),
            ("identifierKey", .string(identifierKey?.text ?? "")),
            ("files", .array(fileNodes)),
        ]).serialized()
    }

    /// Parses the JSON text of a manifest.
    ///
    /// - Throws: `manifest-invalid` for any text that a loader does not write.
    public init(parsing bytes: Span<UInt8>) throws(LoadError) {
        let limits = JSONLimits(byteCount: LoaderLimits.manifestByteCount, depth: 6)
        guard let document = try? JSONDocument(parsing: bytes, limits: limits),
            let sequence = document.root.member("sequence")?.int64,
            let source = document.root.member("source")?.string.flatMap(LoadSource.init(rawValue:)),
            let loadedAt = document.root.member("loadedAtMilliseconds")?.int64,
            let text = document.root.member("configuration")?.string,
            let configuration = try? Configuration(parsing: Array(text.utf8)),
            let anchors = document.root.member("anchors").flatMap(Self.anchors),
            let files = document.root.member("files").flatMap(Self.files)
        else { throw .manifestInvalid }
        // The text is empty when no records are written.
        let keyText = document.root.member("identifierKey")?.string ?? ""
        let key = IdentifierKey(text: Array(keyText.utf8))
        guard keyText.isEmpty || key != nil else { throw .manifestInvalid }
        self.init(
            sequence: Int(sequence), source: source, loadedAtMilliseconds: loadedAt,
            configuration: configuration, anchors: anchors, identifierKey: key, files: files)
    }

    /// Reads the manifest in the sealed memory behind `descriptor`.
    ///
    /// - Throws: `manifest-invalid`; `load-system` when the descriptor is not sealed memory.
    public static func read(from descriptor: consuming FileDescriptor) throws(LoadError) -> Manifest {
        let mapped = try SystemCallError.mapped(to: LoadError.system, giving: descriptor) {
            descriptor throws(SystemCallError) in
            try MappedMemory(of: SealedMemory(verifying: descriptor).descriptor)
        }
        let bytes = mapped.withBytes { $0.bytes(offset: 0, byteCount: $0.byteCount) ?? [] }
        return try Manifest(parsing: bytes.span)
    }

    private static func anchors(_ value: JSONValue) -> [String: [[UInt8]]]? {
        var found: [String: [[UInt8]]] = [:]
        for element in value.elements {
            guard let path = element.member("path")?.string, let list = element.member("certificates") else {
                return nil
            }
            var certificates: [[UInt8]] = []
            for certificate in list.elements {
                guard let der = certificate.withUTF8({ Base64.decode($0) }) ?? nil else { return nil }
                certificates.append(der)
            }
            found[path] = certificates
        }
        return found
    }

    /// Reads a list of the entries that ``ManifestFile/node(extra:)`` writes; nil for any other value.
    public static func files(_ value: JSONValue) -> [ManifestFile]? {
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
