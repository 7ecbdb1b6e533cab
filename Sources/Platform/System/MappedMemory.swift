internal import CLinux
internal import Glibc

/// A read-only, shared mapping of a whole file. It is unmapped when its owner goes.
///
/// Map only a file that nobody else can write: when a mapped file is cut short in place, reading the mapping ends the process
/// with SIGBUS.
@safe public struct MappedMemory: ~Copyable, @unchecked Sendable {  // never written after init
    private let base: UnsafeRawPointer
    public let byteCount: Int

    public init(of descriptor: borrowing FileDescriptor) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        guard status.st_size > 0 else { throw .found(.fileEmpty) }
        let size = Int(status.st_size)
        let start = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.number, 0)
        guard let start = unsafe start, unsafe start != rt_map_failed() else { throw .last("mmap") }
        unsafe base = UnsafeRawPointer(start)
        byteCount = size
    }

    deinit {
        unsafe munmap(UnsafeMutableRawPointer(mutating: base), byteCount)
    }

    public borrowing func readAhead() {
        _ = unsafe madvise(UnsafeMutableRawPointer(mutating: base), byteCount, MADV_WILLNEED)
    }

    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount))
    }
}

/// A few secret bytes in pages of their own. The pages are in no core dump (madvise(2), MADV_DONTDUMP) and, where the
/// limits allow it, never in swap. They are overwritten when their owner goes.
@safe public struct SecretMemory: ~Copyable, @unchecked Sendable {  // changed only by its one owner
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    public private(set) var byteCount = 0

    private init(capacity: Int) throws(SystemCallError) {
        precondition(capacity > 0, "room for at least one byte")
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let start = unsafe mmap(nil, capacity, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let start = unsafe start, unsafe start != rt_map_failed() else { throw .last("mmap") }
        guard unsafe madvise(start, capacity, Int32(RT_MADV_DONTDUMP)) == 0 else {
            let error = SystemCallError.last("madvise")
            unsafe munmap(start, capacity)
            throw error
        }
        // A failure is ignored: secrets in swap are better than no service. Most limits let a process lock 64 KiB or more.
        _ = unsafe mlock(start, capacity)
        unsafe base = start
        self.capacity = capacity
    }

    public static func reading(_ file: borrowing FileDescriptor, limitBytes: Int) throws(SystemCallError)
        -> SecretMemory
    {
        // One more byte than the limit shows that the file is longer.
        var memory = try SecretMemory(capacity: limitBytes + 1)
        while try memory.readMore(of: file) {}
        guard memory.byteCount <= limitBytes else { throw .found(.fileTooLarge(limitBytes: limitBytes)) }
        return memory
    }

    private mutating func readMore(of file: borrowing FileDescriptor) throws(SystemCallError) -> Bool {
        guard byteCount < capacity else { return false }
        let count = unsafe Glibc.read(file.number, base + byteCount, capacity - byteCount)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 else { throw .last("read") }
        byteCount += count
        return count > 0
    }

    deinit {
        unsafe explicit_bzero(base, capacity)
        unsafe munmap(base, capacity)
    }

    /// Do not copy them elsewhere.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let raw = unsafe RawSpan(_unsafeStart: base, byteCount: byteCount)
        return try body(Span(_bytes: raw))
    }
}

/// 64-bit words in anonymous memory that several processes share and change atomically.
///
/// The memory lives as long as any process has it open or mapped, so the counts of a crashed process are kept. The
/// memory is sealed against shrinking and growing: no process can make another die of SIGBUS.
@safe public struct SharedCounterMemory: ~Copyable, @unchecked Sendable {  // every access is atomic
    private let words: UnsafeMutablePointer<UInt64>
    public let count: Int
    public let descriptor: FileDescriptor

    private static var seals: Int32 { Int32(RT_F_SEAL_SEAL | RT_F_SEAL_SHRINK | RT_F_SEAL_GROW) }

    public init(count: Int, name: String) throws(SystemCallError) {
        precondition(count > 0 && count <= 1 << 24, "a sensible number of words")
        let number = unsafe memfd_create(name, UInt32(RT_MFD_CLOEXEC | RT_MFD_ALLOW_SEALING))
        guard number >= 0 else { throw .last("memfd_create") }
        let memory = FileDescriptor(takingOwnership: number)
        guard ftruncate(number, off_t(count * 8)) == 0 else { throw .last("ftruncate") }
        guard rt_fcntl_int(number, Int32(RT_F_ADD_SEALS), Self.seals) == 0 else { throw .last("fcntl") }
        try self.init(inheriting: memory, count: count)
    }

    /// Maps memory that another process made. Throws `memory.wrong-size` when its size is not `count` words,
    /// `memory.not-sealed` when it lacks a seal, else the errno of `fstat`, `fcntl` or `mmap`; `system.einval` when the
    /// descriptor is not a memory file.
    public init(inheriting descriptor: consuming FileDescriptor, count: Int) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        guard count > 0, Int(status.st_size) / 8 == count, Int(status.st_size) % 8 == 0 else {
            throw .found(.wrongSize(byteCount: Int(status.st_size), expectedWords: count))
        }
        let found = rt_fcntl_int(descriptor.number, Int32(RT_F_GET_SEALS), 0)
        guard found >= 0 else { throw .last("fcntl") }
        guard found & Self.seals == Self.seals else { throw .found(.notSealed) }
        let start = unsafe mmap(nil, count * 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, 0)
        guard let start = unsafe start, unsafe start != rt_map_failed() else { throw .last("mmap") }
        unsafe words = start.bindMemory(to: UInt64.self, capacity: count)
        self.count = count
        self.descriptor = descriptor
    }

    deinit {
        unsafe munmap(words, count * 8)
    }

    public borrowing func add(_ amount: UInt64, to index: Int) {
        unsafe rt_atomic_add(word(index), amount)
    }

    public borrowing func next(_ index: Int) -> UInt64 {
        unsafe rt_atomic_add_returning(word(index), 1)
    }

    public borrowing func load(_ index: Int) -> UInt64 {
        unsafe rt_atomic_load(word(index))
    }

    public borrowing func store(_ value: UInt64, at index: Int) {
        unsafe rt_atomic_store(word(index), value)
    }

    public borrowing func exchange(_ expected: UInt64, for value: UInt64, at index: Int) -> Bool {
        unsafe rt_atomic_exchange_if(word(index), expected, value) != 0
    }

    private borrowing func word(_ index: Int) -> UnsafeMutablePointer<UInt64> {
        precondition(index >= 0 && index < count, "a word of this memory")
        return unsafe words + index
    }
}
