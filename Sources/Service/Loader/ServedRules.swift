public import Configuration
internal import Cryptography
internal import DataFiles
public import JSON
internal import System

/// Reads the rules files that a pool serves, for a command beside the pool.
public struct ServedRules: Sendable {
    private let configuration: Configuration

    /// Takes the configuration of the pool.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// Returns the member `content` for the entry of a rules file: the bytes in base64, or null when no copy of the file
    /// can be read any more. Returns nothing for other files.
    public func members(for file: ManifestFile) -> [(String, JSONNode)] {
        guard file.kind == .rules else { return [] }
        let text = bytes(of: file).map { String(decoding: Base64.encode($0.span), as: UTF8.self) }
        return [("content", text.map { .string($0) } ?? .null)]
    }

    /// Reads the copy in the last good generation. Soon after a load there may be no copy yet: then the pushed file is
    /// read, when it is still the same.
    private func bytes(of file: ManifestFile) -> [UInt8]? {
        let copy = LastGood(stateDirectory: configuration.stateDirectory).path(of: file)
        for path in [copy, "\(configuration.dataDirectory)/\(file.name)"] {
            guard let opened = try? FileDescriptor.openForReading(path: path),
                let bytes = try? opened.readAll(limitBytes: configuration.limits.rulesBytes),
                let rules = try? RulesFile(bytes: bytes, check: .full),
                rules.header.digest == file.digest
            else { continue }
            return bytes
        }
        return nil
    }
}
