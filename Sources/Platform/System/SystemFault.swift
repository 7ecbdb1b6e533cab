public import Vocabulary

/// A fact for which an operation of this module fails although no system call failed.
public enum SystemFault: CodedError, Hashable, CustomStringConvertible {
    /// A file or a pipe has more bytes than the program accepts.
    case fileTooLarge(limitBytes: Int)
    /// The size of the file changed while it was copied.
    case fileChanged(byteCount: Int)
    /// The file is empty, so it cannot be mapped.
    case fileEmpty
    /// The file could not be opened in time, because the disk did not answer. The program tries again.
    case fileLate
    /// Something other than a regular file is at the path: a directory, a device, a FIFO.
    case notRegularFile(path: String, kind: FileStatus.Kind)
    /// Something other than a directory is at the path.
    case notDirectory(path: String)
    /// A directory has more entries than the program accepts.
    case tooManyNames(limit: Int)
    /// The memory lacks a seal, so another process could still change its bytes or its size.
    case notSealed
    /// The shared memory does not have the size that this program expects.
    case wrongSize(byteCount: Int, expectedWords: Int)
    /// The message is longer than its receiver takes.
    case messageTooLong
    /// The path of the unix socket is longer than the kernel allows.
    case socketPathTooLong(byteCount: Int, limit: Int)
    /// The path of the unix socket is empty or contains a zero byte.
    case socketPathInvalid
    /// Another process accepts connections at the path of the unix socket.
    case socketPathInUse
    /// Something other than a socket is at the path of the unix socket.
    case notSocket
    /// The socket does not accept connections: it was never told to listen.
    case notListening
    /// The host is neither a numeric IPv4 address nor a numeric IPv6 address.
    case hostNotNumeric
    /// Another process holds the lock.
    case lockHeld
    /// The pid file does not hold exactly one process number.
    case notProcessNumber

    /// The stable code.
    public var code: String {
        switch self {
        case .fileTooLarge: "file.too-large"
        case .fileChanged: "file.changed"
        case .fileEmpty: "file.empty"
        case .fileLate: "file.late"
        case .notRegularFile: "file.not-regular"
        case .notDirectory: "file.not-directory"
        case .tooManyNames: "directory.too-many-names"
        case .notSealed: "memory.not-sealed"
        case .wrongSize: "memory.wrong-size"
        case .messageTooLong: "message.too-long"
        case .socketPathTooLong: "socket-path.too-long"
        case .socketPathInvalid: "socket-path.invalid"
        case .socketPathInUse: "socket-path.in-use"
        case .notSocket: "socket-path.not-socket"
        case .notListening: "socket.not-listening"
        case .hostNotNumeric: "host.not-numeric"
        case .lockHeld: "lock.held"
        case .notProcessNumber: "pid-file.invalid"
        }
    }

    /// A sentence for a person that says what is wrong.
    public var description: String {
        switch self {
        case .fileTooLarge(let limit): "longer than the limit of \(limit) bytes"
        case .fileChanged(let byteCount):
            "the file had \(byteCount) bytes, and its size changed during the copy"
        case .fileEmpty: "the file is empty"
        case .fileLate: "the disk has not answered in time"
        case .notRegularFile(let path, let kind):
            "\(path) is \(kind == .directory ? "a directory" : "not a regular file")"
        case .notDirectory(let path): "\(path) is not a directory"
        case .tooManyNames(let limit): "the directory has more than \(limit) entries"
        case .notSealed: "the memory lacks a seal: another process could change its bytes or its size"
        case .wrongSize(let byteCount, let expected):
            "the shared memory has \(byteCount) bytes, and this program expects \(expected) words of 8 bytes"
        case .messageTooLong: "the message is longer than its receiver takes"
        case .socketPathTooLong(let byteCount, let limit):
            "the socket's path has \(byteCount) bytes, and the kernel allows \(limit)"
        case .socketPathInvalid: "the socket's path is empty or contains a zero byte"
        case .socketPathInUse: "already in use: another process accepts connections there"
        case .notSocket: "something other than a socket is there"
        case .notListening: "the socket does not listen"
        case .hostNotNumeric: "not a numeric IPv4 or IPv6 address"
        case .lockHeld: "another process holds the lock"
        case .notProcessNumber: "the file does not hold exactly one process number"
        }
    }
}
