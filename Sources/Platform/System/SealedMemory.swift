internal import CLinux
internal import Glibc

/// Anonymous memory behind a descriptor that the kernel has sealed: no process can write, shrink or grow it any more,
/// and the seals cannot be removed (memfd_create(2), fcntl(2) F_ADD_SEALS).
public struct SealedMemory: ~Copyable, Sendable {
    /// The descriptor; it can be inherited, sent and mapped read-only.
    public let descriptor: FileDescriptor
    /// The length in bytes.
    public let byteCount: Int

    static var seals: Int32 {
        Int32(RT_F_SEAL_SEAL | RT_F_SEAL_SHRINK | RT_F_SEAL_GROW | RT_F_SEAL_WRITE)
    }

    /// Copies `bytes` into new sealed memory. `name` appears only in `/proc/PID/maps`.
    public init(copying bytes: Span<UInt8>, name: String) throws(SystemCallError) {
        let memory = try Self.create(name: name)
        try memory.write(bytes)
        try self.init(sealing: memory, byteCount: bytes.count)
    }

    /// Copies exactly `byteCount` bytes of `file`, from its file position to its end, into new sealed memory.
    ///
    /// - Throws: `file.changed` when the file turns out shorter or longer than `byteCount`, so that a file which changes
    ///   during the copy is never accepted.
    public init(copying file: borrowing FileDescriptor, byteCount: Int, name: String) throws(SystemCallError)
    {
        let memory = try Self.create(name: name)
        try memory.write(copying: file, byteCount: byteCount)
        try self.init(sealing: memory, byteCount: byteCount)
    }

    /// Takes over a descriptor from another process if it is sealed memory.
    ///
    /// - Throws: `memory.not-sealed` when a seal is missing, `system.einval` when the descriptor is not a memory file.
    public init(verifying descriptor: consuming FileDescriptor) throws(SystemCallError) {
        guard try Self.isSealed(descriptor) else { throw .found(.notSealed) }
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        self.byteCount = Int(status.st_size)
        self.descriptor = descriptor
    }

    /// Makes memory with only these seals, for tests.
    static func memory(_ bytes: Span<UInt8>, withSeals seals: Int32) throws(SystemCallError) -> FileDescriptor
    {
        let memory = try create(name: "test")
        try memory.write(bytes)
        guard rt_fcntl_int(memory.number, Int32(RT_F_ADD_SEALS), seals) == 0 else { throw .last("fcntl") }
        return memory
    }

    /// Returns true when the memory has every seal.
    ///
    /// - Throws: `system.einval` when the descriptor is not a memory file.
    static func isSealed(_ descriptor: borrowing FileDescriptor) throws(SystemCallError) -> Bool {
        let found = rt_fcntl_int(descriptor.number, Int32(RT_F_GET_SEALS), 0)
        guard found >= 0 else { throw .last("fcntl") }
        return found & seals == seals
    }

    /// Returns the descriptor's number and leaves it open. The caller closes it.
    public consuming func releaseDescriptor() -> Int32 { descriptor.release() }

    private init(sealing memory: consuming FileDescriptor, byteCount: Int) throws(SystemCallError) {
        let result = rt_fcntl_int(memory.number, Int32(RT_F_ADD_SEALS), Self.seals)
        guard result == 0 else { throw .last("fcntl") }
        self.byteCount = byteCount
        self.descriptor = memory
    }

    private static func create(name: String) throws(SystemCallError) -> FileDescriptor {
        let flags = UInt32(RT_MFD_CLOEXEC | RT_MFD_ALLOW_SEALING)
        let number = unsafe name.withCString { unsafe memfd_create($0, flags) }
        guard number >= 0 else { throw .last("memfd_create") }
        return FileDescriptor(takingOwnership: number)
    }
}
