internal import CLinux
internal import Glibc

/// The stream to systemd's journal that a service has as standard output or standard error (systemd.exec(5)).
public enum JournalStream {
    /// The environment variable in which systemd names the stream, as `DEVICE:INODE`.
    public static let variable = "JOURNAL_STREAM"

    /// Returns true when the journal reads what is written to a descriptor: `stream`, the value of ``variable``, names
    /// the file of that descriptor. A value alone proves nothing, because children inherit it and may have another
    /// standard error.
    public static func reads(
        descriptor number: Int32, stream: String? = ProcessEnvironment.value(of: variable)
    ) -> Bool {
        guard let stream else { return false }
        let parts = stream.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
        var status = stat()
        guard parts.count == 2, unsafe fstat(number, &status) == 0 else { return false }
        return parts[0] == UInt64(status.st_dev) && parts[1] == UInt64(status.st_ino)
    }
}
