internal import System
internal import Vocabulary

/// Reads the inputs of a subcommand.
enum Input {
    /// The largest input in bytes that a subcommand accepts by default, so that a wrong file name does not fill the
    /// memory.
    static let limitBytes = 64 << 20

    /// Returns all bytes of a file, of at most `limitBytes`; `-` is standard input.
    static func read(_ path: String, limitBytes: Int = limitBytes) throws(ToolFailure) -> [UInt8] {
        let failure = { (error: SystemCallError) in ToolFailure(error, file: path) }
        guard path != "-" else {
            let stream = FileDescriptor(takingOwnership: 0)
            let bytes = try SystemCallError.mapped(to: failure, try stream.readAll(limitBytes: limitBytes))
            _ = stream.release()
            return bytes
        }
        return try SystemCallError.mapped(
            to: failure, try FileDescriptor.openForReading(path: path).readAll(limitBytes: limitBytes))
    }
}
