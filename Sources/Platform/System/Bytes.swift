internal import CLinux
internal import Glibc

#if _endian(big)
#error("Data files are little-endian, and their entries are read as they lie in memory.")
#endif

/// Checked reading of little-endian integers from untrusted bytes. Every reader returns nil outside the span, checks
/// bounds by subtraction and never by addition, and needs no alignment. The readers are inlined, so that walking a
/// mapped file costs a comparison and a load.
extension RawSpan {
    @inlinable
    public func uint8(at offset: Int) -> UInt8? {
        // As an unsigned number a negative offset is larger than any length.
        guard UInt(bitPattern: offset) < UInt(bitPattern: byteCount) else { return nil }
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    @inlinable
    public func uint16(at offset: Int) -> UInt16? {
        guard byteCount >= 2, UInt(bitPattern: offset) <= UInt(bitPattern: byteCount - 2) else { return nil }
        let value = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self)
        return UInt16(littleEndian: value)
    }

    @inlinable
    public func uint32(at offset: Int) -> UInt32? {
        guard byteCount >= 4, UInt(bitPattern: offset) <= UInt(bitPattern: byteCount - 4) else { return nil }
        let value = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
        return UInt32(littleEndian: value)
    }

    @inlinable
    public func uint64(at offset: Int) -> UInt64? {
        guard byteCount >= 8, UInt(bitPattern: offset) <= UInt(bitPattern: byteCount - 8) else { return nil }
        let value = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
        return UInt64(littleEndian: value)
    }

    @inlinable
    public func int64(at offset: Int) -> Int64? {
        uint64(at: offset).map(Int64.init(bitPattern:))
    }

    /// Reads a value of fixed layout from `offset`; nil when its bytes are not all inside. Use it only for types made
    /// of whole numbers, of which any bytes are a valid value.
    @inlinable
    @inline(__always)
    public func load<Layout: BitwiseCopyable>(as type: Layout.Type, at offset: Int) -> Layout? {
        // In a span that is too short the right side is negative, so no offset passes. Where the compiler knows that
        // the offset is not negative, one comparison remains.
        guard offset >= 0, offset <= byteCount &- MemoryLayout<Layout>.size else { return nil }
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: type)
    }

    /// Returns true when `number` is among `count` ascending numbers of its width that start at `offset` (binary
    /// search). One bounds check covers all of them. False when they are not all inside.
    @inlinable
    public func ascending<Number: FixedWidthInteger & BitwiseCopyable>(
        _ number: Number, at offset: Int, count: Int
    ) -> Bool {
        let width = MemoryLayout<Number>.size
        guard count >= 0, count <= Int(UInt32.max), contains(offset: offset, byteCount: count &* width) else {
            return false
        }
        var low = 0
        var high = count
        while low < high {
            let middle = low &+ (high &- low) / 2
            let place = offset &+ middle &* width
            let found = Number(
                littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: place, as: Number.self)
            )
            if found == number { return true }
            if found < number { low = middle &+ 1 } else { high = middle }
        }
        return false
    }

    @inlinable
    public func contains(offset: Int, byteCount count: Int) -> Bool {
        offset >= 0 && count >= 0 && count <= byteCount && offset <= byteCount - count
    }

    /// Compares `count` bytes from `offset` with `other`, byte by byte; a prefix comes before the longer bytes. Returns
    /// a negative number, 0 or a positive number; nil when the range is not inside.
    @inlinable
    public func compare(offset: Int, byteCount count: Int, with other: Span<UInt8>) -> Int? {
        guard contains(offset: offset, byteCount: count) else { return nil }
        let shared = Swift.min(count, other.count)
        let others = unsafe other.bytes
        var index = 0
        // Eight bytes at a time: big-endian numbers have the same order as their bytes.
        while shared &- index >= 8 {
            let left = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ index, as: UInt64.self)
            let right = unsafe others.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            if left != right { return left.bigEndian < right.bigEndian ? -1 : 1 }
            index &+= 8
        }
        if index < shared, shared >= 8 {
            // The rest, together with bytes before it that are equal.
            let last = shared &- 8
            let left = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset &+ last, as: UInt64.self)
            let right = unsafe others.unsafeLoadUnaligned(fromUncheckedByteOffset: last, as: UInt64.self)
            if left != right { return left.bigEndian < right.bigEndian ? -1 : 1 }
            return count - other.count
        }
        while index < shared {
            let left = unsafe unsafeLoad(fromUncheckedByteOffset: offset &+ index, as: UInt8.self)
            let right = unsafe other[unchecked: index]
            if left != right { return Int(left) - Int(right) }
            index &+= 1
        }
        return count - other.count
    }

    public func matches(_ other: Span<UInt8>, at offset: Int) -> Bool {
        guard contains(offset: offset, byteCount: other.count) else { return false }
        guard other.count > 0 else { return true }
        return unsafe extracting(offset..<offset + other.count).withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return false }
                return unsafe memcmp(left, right, other.count) == 0
            }
        }
    }

    @inlinable
    public func withSpan<Result, Failure: Error>(
        offset: Int, byteCount count: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard contains(offset: offset, byteCount: count) else { return nil }
        return try body(Span(_bytes: extracting(offset..<offset + count)))
    }

    public func bytes(offset: Int, byteCount count: Int) -> [UInt8]? {
        guard contains(offset: offset, byteCount: count) else { return nil }
        return unsafe extracting(offset..<offset + count).withUnsafeBytes { block in unsafe Array(block) }
    }
}

extension Span where Element == UInt8 {
    /// Lends the same bytes as a raw span, for the readers above. (`Span.bytes` is unsafe in general because elements
    /// can have padding; a byte has none.)
    @inlinable
    public func withRawBytes<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe bytes)
    }

    public var firstNonUTF8: Int? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: self)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }

    public var isUTF8: Bool { firstNonUTF8 == nil }

    @inlinable
    public func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return shortWord == other.shortWord }
        let left = unsafe bytes
        let right = unsafe other.bytes
        var place = 0
        while count &- place > 8 {
            guard left.uint64(at: place) == right.uint64(at: place) else { return false }
            place &+= 8
        }
        return left.uint64(at: count &- 8) == right.uint64(at: count &- 8)
    }

    @inlinable
    public func isEqual(to text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe isEqual(to: Span(_unsafeElements: $0)) }
    }

    /// Up to seven bytes as a number: the first byte is the lowest, and missing bytes are zero. Not defined for longer
    /// spans.
    @inlinable
    @inline(__always)
    public var shortWord: UInt64 {
        let raw = unsafe bytes
        // Reads the first and the last half. Where they overlap, both have the same bits.
        if let first = raw.uint32(at: 0), let last = raw.uint32(at: count &- 4) {
            return UInt64(first) | UInt64(last) << UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        if let first = raw.uint16(at: 0), let last = raw.uint8(at: count &- 1) {
            return UInt64(first) | UInt64(last) << UInt64(truncatingIfNeeded: 8 &* (count &- 1))
        }
        return raw.uint8(at: 0).map(UInt64.init) ?? 0
    }

    public func copied() -> [UInt8] {
        unsafe withUnsafeBytes { block in unsafe Array(block) }
    }
}

/// Checked writing of bytes and little-endian integers at any offset, at the speed of memory. As with a subscript, an
/// offset outside the span is a fatal error.
extension MutableSpan<UInt8> {
    @inlinable
    @inline(__always)
    public mutating func put(_ word: UInt64, at offset: Int) {
        var raw = unsafe mutableBytes
        raw.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    public mutating func put(_ bytes: Span<UInt8>, at offset: Int) {
        precondition(offset >= 0 && bytes.count <= count && offset <= count - bytes.count, "outside")
        unsafe withUnsafeMutableBytes { target in
            unsafe bytes.withUnsafeBytes { source in
                guard let to = target.baseAddress, let from = source.baseAddress else { return }
                unsafe memmove(to + offset, from, source.count)
            }
        }
    }
}

extension Span where Element == UInt8 {
    /// A fast hash for tables in files, the same on every machine. It gives no protection against someone who chooses the
    /// bytes. The hash starts as the length times K (0x9E3779B97F4A7C15). For each little-endian word of eight bytes, the
    /// hash is XORed with the word and multiplied by K to 128 bits, and the halves are XORed. The last word is the last
    /// eight bytes, which may overlap the word before; fewer than eight bytes in all are filled up with zeros.
    @inlinable
    public var wordHash: UInt64 {
        // (`bytes` is unsafe in general because elements can have padding; a byte has none.)
        let raw = unsafe bytes
        var hash = UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15
        guard count >= 8 else { return Self.mixed(hash, shortWord) }
        var place = 0
        while count &- place > 8 {
            hash = Self.mixed(hash, raw.uint64(at: place) ?? 0)
            place &+= 8
        }
        return Self.mixed(hash, raw.uint64(at: count &- 8) ?? 0)
    }

    @inlinable
    static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

public enum LittleEndianWords {
    public static func withBytes<Word: FixedWidthInteger & BitwiseCopyable, Result, Failure: Error>(
        of words: [Word], _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(Span(_bytes: RawSpan(_elements: words.span)))
    }
}

extension [UInt8] {
    /// Appends the bytes of a value as they are in memory. Only for types made of whole numbers without gaps.
    public mutating func append(copying value: some BitwiseCopyable) {
        unsafe Swift.withUnsafeBytes(of: value) { bytes in
            unsafe append(contentsOf: bytes)
        }
    }

    public mutating func replace(copying value: some BitwiseCopyable, at offset: Int) {
        var bytes: [UInt8] = []
        bytes.append(copying: value)
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
}

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
        guard status.st_size > 0 else { throw .fileEmpty }
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

/// 64-bit words in anonymous memory that several processes share and change atomically.
///
/// The memory lives as long as any process has it open or mapped, so the counts of a crashed process are kept.
@safe public struct SharedCounterMemory: ~Copyable, @unchecked Sendable {  // every access is atomic
    private let words: UnsafeMutablePointer<UInt64>
    public let count: Int
    public let descriptor: FileDescriptor

    public init(count: Int, name: String) throws(SystemCallError) {
        precondition(count > 0 && count <= 1 << 24, "a sensible number of words")
        let memory = try FileDescriptor.inMemory(named: name)
        guard ftruncate(memory.number, off_t(count * 8)) == 0 else { throw .last("ftruncate") }
        try self.init(inheriting: memory, count: count)
    }

    /// Maps memory that another process made. Throws `memory.wrong-size` when its size is not `count` words.
    public init(inheriting descriptor: consuming FileDescriptor, count: Int) throws(SystemCallError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .last("fstat") }
        guard count > 0, Int(status.st_size) / 8 == count, Int(status.st_size) % 8 == 0 else {
            throw .wrongSize(byteCount: Int(status.st_size), expectedWords: count)
        }
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

/// A cyclic redundancy check of 32 bits: least significant bit first, with all bits inverted at the beginning and at the
/// end. It finds accidental damage. It gives no protection against someone who chooses the bytes.
public struct CRC32: Sendable {
    public struct Polynomial: Sendable {
        /// CRC-32 (ISO 3309): the check of PNG chunks (PNG Specification, annex D), also called CRC-32/ISO-HDLC.
        public static let iso3309 = Polynomial(0xEDB8_8320)
        /// CRC-32C (RFC 3720 appendix B.4), the polynomial of Castagnoli: the check of the sections of data files.
        public static let castagnoli = Polynomial(0x82F6_3B78)

        /// Eight tables of 256 words, with which ``CRC32/update(_:)`` reads eight bytes at a time ("slicing by 8").
        fileprivate let tables: [UInt32]

        private init(_ polynomial: UInt32) {
            var tables = [UInt32](repeating: 0, count: 8 * 256)
            for byte in 0..<256 {
                var value = UInt32(byte)
                for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
                tables[byte] = value
            }
            for index in 256..<8 * 256 {
                let before = tables[index - 256]
                tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
            }
            self.tables = tables
        }
    }

    private let polynomial: Polynomial
    private var state: UInt32 = ~0

    public init(_ polynomial: Polynomial) {
        self.polynomial = polynomial
    }

    public static func checksum(_ bytes: RawSpan, _ polynomial: Polynomial) -> UInt32 {
        var checksum = CRC32(polynomial)
        checksum.update(bytes)
        return checksum.value
    }

    public static func checksum(_ bytes: Span<UInt8>, _ polynomial: Polynomial) -> UInt32 {
        bytes.withRawBytes { checksum($0, polynomial) }
    }

    public var value: UInt32 { ~state }

    public mutating func update(_ bytes: RawSpan) {
        let polynomial = polynomial
        let tables = polynomial.tables.span
        var value = state
        var offset = 0
        while let word = bytes.uint64(at: offset) {
            let low = word ^ UInt64(value)
            value = 0
            var table = 7
            while table >= 0 {
                value ^= tables[table << 8 | Int(low >> UInt64((7 - table) << 3) & 0xFF)]
                table -= 1
            }
            offset += 8
        }
        while let byte = bytes.uint8(at: offset) {
            value = value >> 8 ^ tables[Int((value ^ UInt32(byte)) & 0xFF)]
            offset += 1
        }
        state = value
    }
}
