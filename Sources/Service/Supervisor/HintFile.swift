internal import System

/// `stateDirectory/chain-hints`: the chains that workers verified lately, for the workers after a restart. Each chain
/// is stored as its length in four bytes, most significant byte first, and then its bytes.
struct HintFile: Sendable {
    let path: String

    init(stateDirectory: String) {
        path = "\(stateDirectory)/chain-hints"
    }

    /// Returns the chains that can be read. A damaged end of the file is left out.
    func read() -> [[UInt8]] {
        let limit = PoolLimits.hintCount * (PoolLimits.hintByteCount + 4)
        guard let file = try? FileDescriptor.openForReading(path: path),
            let bytes = try? file.readAll(limitBytes: limit)
        else { return [] }
        var hints: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count > 4 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count > 0, count <= rest.count else { break }
            hints.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return hints
    }

    /// Replaces the chains in the file.
    func write(_ hints: [[UInt8]]) throws(SystemCallError) {
        var bytes: [UInt8] = []
        for hint in hints {
            let count = UInt32(hint.count)
            bytes += [
                UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255),
            ]
            bytes += hint
        }
        try AtomicFile.write(bytes.span, to: path, permissions: 0o600)
    }
}
