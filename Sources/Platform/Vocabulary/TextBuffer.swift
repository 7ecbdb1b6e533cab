/// Text that grows at its end, for texts that are written for each request: appending makes no `String` and no array.
/// The memory stays when the text is removed, so one buffer serves one text after the other.
///
///     var buffer = TextBuffer()
///     buffer.append("\"sequence\":")
///     buffer.append(decimal: 41)
///     let bytes = buffer.bytes  // "sequence":41
@safe public struct TextBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var byteCount = 0

    /// The length of the text in bytes.
    @inlinable public var count: Int { byteCount }

    /// Makes an empty text with memory for `byteCount` bytes. A longer text makes the buffer take more memory.
    public init(reservingByteCount byteCount: Int = 1024) {
        capacity = max(byteCount, 64)
        unsafe start = .allocate(capacity: capacity)
    }

    deinit {
        unsafe start.deallocate()
    }

    /// A copy of the text.
    public var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The text as a string. Bytes that are not UTF-8 become U+FFFD.
    public var string: String { string(from: 0) }

    /// Returns the text from byte `offset` on as a string. Bytes that are not UTF-8 become U+FFFD.
    public func string(from offset: Int) -> String {
        let offset = min(max(offset, 0), count)
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start + offset, count: count - offset), as: UTF8.self)
    }

    /// Lends the text to `body`, without a copy.
    public borrowing func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(Span(_unsafeStart: start, count: count))
    }

    /// Removes the text from byte `length` on. A text that is not longer stays as it is.
    public mutating func cut(to length: Int) {
        byteCount = min(byteCount, max(length, 0))
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(_ byte: UInt8) {
        makeRoom(1)
        unsafe start[byteCount] = byte
        byteCount &+= 1
    }

    /// Appends a literal. Inlined, so that the literal is stored and not copied.
    @inlinable
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        unsafe appendBytes(text.utf8Start, text.utf8CodeUnitCount)
    }

    public mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { block in
            if let first = block.baseAddress { unsafe appendBytes(first, block.count) }
        }
    }

    /// Appends the bytes of a string as they are.
    public mutating func append(string: String) { append(string.utf8Span.span) }

    /// Appends a number in decimal digits.
    public mutating func append(decimal number: UInt64) {
        makeRoom(20)
        var digitCount = 1
        var rest = number / 10
        while rest > 0 {
            digitCount &+= 1
            rest /= 10
        }
        rest = number
        var place = count &+ digitCount
        while place > count {
            place &-= 1
            unsafe start[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        byteCount &+= digitCount
    }

    /// Appends a number in decimal digits, with a minus sign when it is negative.
    public mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude)
    }

    /// Appends the eight bytes of `word`, the lowest byte first.
    public mutating func append(word: UInt64) {
        makeRoom(8)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        byteCount &+= 8
    }

    /// Appends the four bytes of `half`, the lowest byte first.
    mutating func append(half: UInt32) {
        makeRoom(4)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: half.littleEndian, as: UInt32.self)
        byteCount &+= 4
    }

    /// Returns true when the text from byte `offset` on is printable ASCII without quotes and backslashes, as most texts
    /// are. Such a text needs no escape. Looks at eight bytes at a time.
    public borrowing func isPlain(from offset: Int) -> Bool {
        var index = max(offset, 0)
        var found: UInt64 = 0
        while index &+ 8 <= count {
            let word = unsafe UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self)
            found |= Self.active(word)
            index &+= 8
        }
        // The rest is filled up with a plain byte.
        var rest = Self.every(0x20)
        while index < count {
            rest = unsafe rest << 8 | UInt64(start[index])
            index &+= 1
        }
        return (found | Self.active(rest)) & Self.every(0x80) == 0
    }

    /// Returns a word in which a byte has its highest bit when the same byte of `word` is no plain character. Above such
    /// a byte, other bytes may have the bit, too.
    private static func active(_ word: UInt64) -> UInt64 {
        /// The highest bit of the bytes of `word` that are below `byte`.
        func below(_ byte: UInt64, _ word: UInt64) -> UInt64 { (word &- every(byte)) & ~word }
        return word | (word &+ every(1)) | below(0x20, word)
            | below(1, word ^ every(UInt64(UInt8(ascii: "\""))))
            | below(1, word ^ every(UInt64(UInt8(ascii: "\\"))))
    }

    private static func every(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

    @inlinable
    @inline(__always)
    mutating func appendBytes(_ first: UnsafePointer<UInt8>, _ length: Int) {
        makeRoom(length)
        unsafe (start + byteCount).update(from: first, count: length)
        byteCount &+= length
    }

    @inlinable
    @inline(__always)
    mutating func makeRoom(_ length: Int) {
        if length > capacity &- byteCount { grow(length) }
    }

    @usableFromInline
    @inline(never)
    mutating func grow(_ length: Int) {
        let larger = max(capacity * 2, count + length)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe memory.update(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = memory
        capacity = larger
    }
}
