internal import CLinux
internal import Glibc

/// 64-bit words in anonymous memory that several processes share and change atomically.
///
/// The memory lives as long as any process has it open or mapped, so the counts of a crashed process are kept. The
/// memory is sealed against shrinking and growing: no process can make another die of SIGBUS.
@safe public struct SharedCounterMemory: ~Copyable, @unchecked Sendable {  // every access is atomic
    private let words: UnsafeMutablePointer<UInt64>
    /// The number of words.
    public let count: Int
    /// The descriptor that a child inherits to share the memory.
    public let descriptor: FileDescriptor

    private static var seals: Int32 { Int32(RT_F_SEAL_SEAL | RT_F_SEAL_SHRINK | RT_F_SEAL_GROW) }

    /// Makes new memory of `count` words, all zero. `name` appears only in `/proc/PID/maps`.
    public init(count: Int, name: String) throws(SystemCallError) {
        precondition(count > 0 && count <= 1 << 24, "a sensible number of words")
        let number = unsafe memfd_create(name, UInt32(RT_MFD_CLOEXEC | RT_MFD_ALLOW_SEALING))
        guard number >= 0 else { throw .last("memfd_create") }
        let memory = FileDescriptor(takingOwnership: number)
        guard ftruncate(number, off_t(count * 8)) == 0 else { throw .last("ftruncate") }
        guard rt_fcntl_int(number, Int32(RT_F_ADD_SEALS), Self.seals) == 0 else { throw .last("fcntl") }
        try self.init(inheriting: memory, count: count)
    }

    /// Maps memory that another process made.
    ///
    /// - Throws: `memory.wrong-size` when its size is not `count` words, `memory.not-sealed` when it lacks a seal, else
    ///   the errno of `fstat`, `fcntl` or `mmap`; `system.einval` when the descriptor is not a memory file.
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

    /// Adds to the word at `index`. The sum wraps around at 2^64.
    public borrowing func add(_ amount: UInt64, to index: Int) {
        unsafe rt_atomic_add(word(index), amount)
    }

    /// Adds 1 to the word at `index`.
    ///
    /// - Returns: the new value. No other caller gets the same one.
    public borrowing func next(_ index: Int) -> UInt64 {
        unsafe rt_atomic_add_returning(word(index), 1)
    }

    /// Returns the value of the word at `index`.
    public borrowing func load(_ index: Int) -> UInt64 {
        unsafe rt_atomic_load(word(index))
    }

    /// Sets the word at `index`.
    public borrowing func store(_ value: UInt64, at index: Int) {
        unsafe rt_atomic_store(word(index), value)
    }

    /// Sets the word at `index` to `value` if it has the `expected` value. Returns true when it had.
    public borrowing func exchange(_ expected: UInt64, for value: UInt64, at index: Int) -> Bool {
        unsafe rt_atomic_exchange_if(word(index), expected, value) != 0
    }

    private borrowing func word(_ index: Int) -> UnsafeMutablePointer<UInt64> {
        precondition(index >= 0 && index < count, "a word of this memory")
        return unsafe words + index
    }
}
