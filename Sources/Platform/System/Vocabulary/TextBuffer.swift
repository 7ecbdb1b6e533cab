/// Text that grows at its end, for texts that are written for each request: appending makes no `String` and no array. The
/// memory stays when the text is removed, so one buffer serves one text after the other.
@safe public struct TextBuffer: ~Copyable {
    @usableFromInline var start: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    @usableFromInline var byteCount = 0

    @inlinable public var count: Int { byteCount }

    public init(reservingByteCount byteCount: Int = 1024) {
        capacity = max(byteCount, 64)
        unsafe start = .allocate(capacity: capacity)
    }

    deinit {
        unsafe start.deallocate()
    }

    public var bytes: [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    public var string: String { string(from: 0) }

    public func string(from offset: Int) -> String {
        let offset = min(max(offset, 0), count)
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start + offset, count: count - offset), as: UTF8.self)
    }

    public borrowing func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(Span(_unsafeStart: start, count: count))
    }

    public mutating func cut(to length: Int) {
        byteCount = min(byteCount, max(length, 0))
    }

    @inlinable
    public mutating func append(_ byte: UInt8) {
        makeRoom(1)
        unsafe start[byteCount] = byte
        byteCount &+= 1
    }

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

    public mutating func append(string: String) { append(string.utf8Span.span) }

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

    public mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude)
    }

    public mutating func append(word: UInt64) {
        makeRoom(8)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        byteCount &+= 8
    }

    /// Returns true when the text from byte `offset` on is printable ASCII without quotes and backslashes, as most texts
    /// are. Such a text needs no escape. The loop looks at every byte and has no branch.
    public borrowing func isPlain(from offset: Int) -> Bool {
        var isPlain = true
        for index in min(max(offset, 0), count)..<count {
            let byte = unsafe start[index]
            let isFree = byte &- 0x20 < 0x5F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            isPlain = isPlain && isFree
        }
        return isPlain
    }

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

extension TextBuffer {
    public mutating func append(hexadecimal number: UInt64, digitCount: Int) {
        makeRoom(digitCount)
        for place in 0..<digitCount {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(4 &* (digitCount &- 1 &- place)) & 15)
            unsafe start[byteCount &+ place] = HexadecimalDigits.digit(of: digit)
        }
        byteCount &+= digitCount
    }

    public mutating func append(_ identifier: UUID) {
        append(hexadecimal: identifier.high >> 32, digitCount: 8)
        append("-")
        append(hexadecimal: identifier.high >> 16, digitCount: 4)
        append("-")
        append(hexadecimal: identifier.high, digitCount: 4)
        append("-")
        append(hexadecimal: identifier.low >> 48, digitCount: 4)
        append("-")
        append(hexadecimal: identifier.low, digitCount: 12)
    }

    public mutating func append(_ time: CivilTime) {
        append(time.year, digitCount: 4, before: "-")
        append(time.month, digitCount: 2, before: "-")
        append(time.day, digitCount: 2, before: "T")
        append(time.hour, digitCount: 2, before: ":")
        append(time.minute, digitCount: 2, before: ":")
        append(time.second, digitCount: 2, before: ".")
        append(time.millisecond, digitCount: 3, before: "Z")
    }

    private mutating func append(_ number: Int64, digitCount: Int, before character: StaticString) {
        var limit: Int64 = 10
        for _ in 1..<digitCount {
            if number >= 0, number < limit { append("0") }
            limit *= 10
        }
        append(decimal: number)
        append(character)
    }
}
