internal import System

/// What a subcommand reads.
enum Input {
    /// The largest input that any subcommand takes, so that a slip of the hand does not fill the memory.
    static let limitBytes = 64 << 20

    /// All bytes of a file; `-` is standard input.
    static func read(_ path: String, limitBytes: Int = limitBytes) throws(ToolFailure) -> [UInt8] {
        do throws(SystemCallError) {
            guard path != "-" else {
                let stream = FileDescriptor(takingOwnership: 0)
                let bytes = try stream.readAll(limitBytes: limitBytes)
                _ = stream.release()
                return bytes
            }
            return try FileDescriptor.openForReading(path: path).readAll(limitBytes: limitBytes)
        } catch {
            throw ToolFailure(error, file: path)
        }
    }
}
