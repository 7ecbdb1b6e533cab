internal import Cryptography
internal import System

/// `stateDirectory/chains`: the certificate chains that led to valid payloads lately, each in a file that is named by its SHA-256.
/// They are hints for new workers, as opaque bytes: each worker verifies a chain itself before it trusts the chain.
package struct ChainDirectory: Sendable {
    private let path: String
    /// More than the leaf certificates that Apple uses at one time.
    private static let countLimit = 8
    /// A chain is three certificates; real ones take about 2.5 KB.
    private static let byteLimit = 16 << 10

    package init(stateDirectory: String) {
        path = "\(stateDirectory)/chains"
    }

    package func chains() -> [[UInt8]] { names.compactMap(chain) }

    private var names: [String] {
        guard let opened = try? FileDescriptor.openDirectory(path: path) else { return [] }
        let names = (try? Directory.names(in: opened, limitCount: 1000)) ?? []
        return names.filter { SHA256Digest(hexadecimal: $0) != nil }
    }

    private func chain(named name: String) -> [UInt8]? {
        guard let file = try? FileDescriptor.openForReading(path: "\(path)/\(name)"),
            let bytes = try? file.readAll(limitBytes: Self.byteLimit), Self.name(of: bytes) == name
        else { return nil }
        return bytes
    }

    private static func name(of chain: [UInt8]) -> String {
        var hasher = SHA256Hasher()
        hasher.update(chain.span)
        return hasher.finalize().hexadecimal
    }

    /// Stores a chain. When there are too many, removes the one that no worker has reported for the longest time.
    ///
    /// - Returns: false when the chain is stored already, or is none.
    func add(_ chain: [UInt8]) throws(SystemCallError) -> Bool {
        guard !chain.isEmpty, chain.count <= Self.byteLimit else { return false }
        let name = Self.name(of: chain)
        let file = "\(path)/\(name)"
        if self.chain(named: name) != nil {
            try Directory.touch(path: file)
            return false
        }
        if (try? FileStatus(path: path)) == nil { try Directory.make(path: path, permissions: 0o700) }
        // Nothing waits for the disk: a power cut may leave half a chain, which does not have its name's digest.
        let temporary = "\(path)/.new"
        try Directory.removeFile(path: temporary)
        try FileDescriptor.create(path: temporary, permissions: 0o600).write(chain.span)
        try Directory.rename(temporary, to: file)
        let byAge = names.sorted { modified($0) < modified($1) }
        for old in byAge.prefix(max(0, byAge.count - Self.countLimit)) {
            try Directory.removeFile(path: "\(path)/\(old)")
        }
        return true
    }

    private func modified(_ name: String) -> Int64 {
        (try? FileStatus(path: "\(path)/\(name)"))?.modifiedNanoseconds ?? 0
    }
}
