public import Configuration
internal import Cryptography
internal import DataFiles
public import JSON
internal import System

/// What a pool serves, for a command beside the pool: the generation `current`.
public struct ServedFiles {
    private let configuration: Configuration
    private let generation: StoredGeneration?

    /// Takes the configuration of the pool.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        let store = GenerationStore(configuration)
        generation = StoredGeneration(store.current, in: store)
    }

    /// Returns an entry for each file. With `withRules` the entry of a rules file has the member `content`: its bytes in base64,
    /// or null when they cannot be read any more.
    public func nodes(withRules: Bool) -> [JSONNode] {
        (generation?.manifest.files ?? []).map { file in
            guard withRules, file.kind == .rules else { return file.node() }
            let text = bytes(of: file).map { String(decoding: Base64.encode($0.span), as: UTF8.self) }
            return file.node(extra: [("content", text.map { .string($0) } ?? .null)])
        }
    }

    private func bytes(of file: ManifestFile) -> [UInt8]? {
        guard let path = generation?.path,
            let opened = try? FileDescriptor.openForReading(path: "\(path)/\(file.name)")
        else { return nil }
        return try? opened.readAll(limitBytes: configuration.limits.rulesBytes)
    }
}
