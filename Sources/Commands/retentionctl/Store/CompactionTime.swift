internal import NotificationStore
internal import System

/// How long nobody can write to a SQLite store while its file is written anew.
struct CompactionTime {
    /// The bytes of the rows and indexes that are copied.
    let byteCount: Int64
    /// The time in seconds, rounded up.
    let seconds: Int64

    /// Measures how fast the disk of the store writes, and computes the time. SQLite writes each page to a temporary file,
    /// to the log and to the file.
    init(of store: NotificationStore) throws {
        let size = try store.size()
        byteCount = max(0, size.byteCount - size.freeByteCount) + size.logByteCount
        guard case .sqlite(let path) = store.address.resolved else {
            seconds = 0
            return
        }
        let nanoseconds = try Self.writingTime(beside: path)
        let perMebibyte = nanoseconds / Self.sampleMebibytes
        let mebibytes = UInt64(byteCount >> 20) + 1
        seconds = Int64((3 * mebibytes * perMebibyte + 999_999_999) / 1_000_000_000)
    }

    /// The sentence for a person.
    var text: String {
        "nobody can write to the store while its \(byteCount) bytes are copied: "
            + "the recorder will answer 503 for about \(seconds) s"
    }

    private static let sampleMebibytes: UInt64 = 4

    /// Writes a file of some megabytes, waits for the disk, and removes it. Returns the time in nanoseconds.
    private static func writingTime(beside path: String) throws(ToolFailure) -> UInt64 {
        let sample = "\(path).speed"
        do throws(SystemCallError) {
            try Directory.removeFile(path: sample)
            defer { try? Directory.removeFile(path: sample) }
            let file = try FileDescriptor.create(path: sample, permissions: 0o600)
            let bytes = [UInt8](repeating: 0x5A, count: Int(sampleMebibytes) << 20)
            let start = Clock.monotonicNanoseconds()
            try file.write(bytes.span)
            try file.synchronize()
            return Clock.monotonicNanoseconds() - start
        } catch {
            throw ToolFailure(writing: sample, error)
        }
    }
}
