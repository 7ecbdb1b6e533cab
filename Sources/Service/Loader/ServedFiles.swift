public import Configuration
internal import Cryptography
internal import DataFiles
public import JSON
internal import System

/// What a pool serves, for a command beside the pool: the generation `current`.
public struct ServedFiles {
    private let configuration: Configuration
    private let generation: StoredGeneration

    /// Reads the manifest of the generation, as the pool with this configuration keeps it; nil when there is none to read.
    public init?(_ configuration: Configuration) {
        let store = GenerationStore(configuration)
        guard let generation = StoredGeneration(store.current, in: store) else { return nil }
        self.configuration = configuration
        self.generation = generation
    }

    /// Returns an entry for each file. With `withRules` the entry of a rules file has the member `content`: its bytes in base64,
    /// or null when they cannot be read any more.
    public func nodes(withRules: Bool) -> [JSONNode] {
        generation.manifest.files.map { file in
            guard withRules, file.kind == .rules else { return file.node() }
            let text = bytes(of: file).map { String(decoding: Base64.encode($0.span), as: UTF8.self) }
            return file.node(extra: [("content", text.map { .string($0) } ?? .null)])
        }
    }

    private func bytes(of file: ManifestFile) -> [UInt8]? {
        let opened = try? FileDescriptor.openForReading(path: "\(generation.path)/\(file.name)")
        guard let opened else { return nil }
        return try? opened.readAll(limitBytes: configuration.limits.rulesBytes)
    }
}
