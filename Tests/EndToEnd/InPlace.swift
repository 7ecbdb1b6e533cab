import Glibc
import System

/// Writes into a pushed file in place, as `cp` and `rsync --inplace` do. Nobody should do that.
enum InPlace {
    static func truncate(path: String, to byteCount: Int) throws {
        guard unsafe Glibc.truncate(path, byteCount) == 0 else {
            throw SystemCallError(call: "truncate", Errno(rawValue: errno))
        }
    }

    static func overwrite(path: String, at offset: Int, with bytes: [UInt8]) throws {
        let number = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemCallError(call: "open", Errno(rawValue: errno)) }
        defer { _ = close(number) }
        let count = unsafe bytes.withUnsafeBytes { block in
            unsafe pwrite(number, block.baseAddress, block.count, offset)
        }
        guard count == bytes.count else { throw SystemCallError(call: "pwrite", Errno(rawValue: errno)) }
    }
}
