/// The permissions of new files for which the caller asks for no others.
public enum FileCreationMask {
    /// Returns the usual permissions of new files: 0666 minus the umask, as `/proc/self/status` says it. The system call
    /// can only read the umask by setting it, for all threads of the process. Without `/proc` the result is 0600.
    public static func permissionsOfFiles() -> UInt32 {
        guard let file = try? FileDescriptor.openForReading(path: "/proc/self/status"),
            let bytes = try? file.readAll(limitBytes: 64 << 10)
        else { return 0o600 }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("Umask:")
        }
        let digits = line?.dropFirst("Umask:".count).filter(\.isWholeNumber)
        return digits.flatMap { UInt32($0, radix: 8) }.map { 0o666 & ~$0 } ?? 0o600
    }
}
