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

/// Strings of JSON. Log lines in logfmt use the same escapes, so one rule holds for both.
extension TextBuffer {
    public mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        let start = count
        append(string: text)
        escape(from: start)
        append(UInt8(ascii: "\""))
    }

    /// Gives the text from byte `start` on the escapes that it needs within quotes. Characters that a terminal acts on
    /// (``DisplayText``) are escaped, too; other characters outside ASCII stand as they are.
    public mutating func escape(from start: Int) {
        guard !isPlain(from: start) else { return }
        let text = string(from: start)
        cut(to: start)
        for scalar in text.unicodeScalars { append(escaping: scalar) }
    }

    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append("\\\"")
        case "\\": append("\\\\")
        case "\0": append("\u{FFFD}")  // strict readers, ours among them, refuse an escaped NUL
        case "\n": append("\\n")
        case "\r": append("\\r")
        case "\t": append("\\t")
        case _ where DisplayText.isActive(scalar):
            append("\\u")
            append(string: HexadecimalDigits.text(of: scalar.value, count: 4, uppercase: true))
        default: append(string: String(scalar))
        }
    }

    /// Appends a literal and behind it a string with quotes and escapes, or `null`.
    @inline(__always)
    public mutating func append(_ literal: StaticString, _ value: String?) {
        append(literal)
        if let value { append(quoted: value) } else { append("null") }
    }

    @inline(__always)
    public mutating func append(_ literal: StaticString, _ value: UInt64) {
        append(literal)
        append(decimal: value)
    }

    @inline(__always)
    public mutating func append(_ literal: StaticString, _ value: Int64) {
        append(literal)
        append(decimal: value)
    }

    /// Appends a literal and behind it a text that needs no escapes.
    @inline(__always)
    public mutating func append(_ literal: StaticString, plain value: String) {
        append(literal)
        append(string: value)
    }
}

/// Escapes characters in text that comes from files, requests and servers, before a terminal, a log or a page shows it.
///
/// All writers share this one list of characters. Each writer escapes them in its own form: JSON and log lines as `\u202E`,
/// plain text as `\u{202e}`.
public enum DisplayText {
    /// Returns true when a terminal, or a reader of lines, acts on the character instead of showing it: control
    /// characters (C0, DEL, C1), line and paragraph separators, the marks that turn the direction of writing (Unicode's
    /// Bidi_Control), and the byte order mark.
    @inlinable
    public static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    public static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isActive) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isActive(scalar), !(keepsLines && scalar == "\n") {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

public enum CountText {
    public static func of(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

public enum DurationText {
    public static func of(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1000 + (milliseconds % 1000 > 0 ? 1 : 0)
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
            (seconds % 60, "s"),
        ]
        let shown = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return shown.isEmpty ? "0 s" : shown.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}

extension String {
    /// Returns true when both texts are the same bytes of UTF-8. Swift calls two texts equal when Unicode says that they look
    /// alike, such as é in one character and in two; whoever keeps or compares bytes needs more.
    public func hasSameBytes(as other: String) -> Bool {
        guard self == other else { return false }
        let (own, others) = (utf8Span, other.utf8Span)
        // Texts of ASCII look alike only when they are the same. That is known without looking at them.
        return own.isKnownASCII && others.isKnownASCII || utf8.elementsEqual(other.utf8)
    }
}

public struct UUID: Sendable, Hashable, CustomStringConvertible {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Makes a new UUID of version 4 (RFC 9562 section 5.4). Swift's generator asks the kernel each time (getrandom(2)), so two
    /// processes cannot share its state.
    public static func random() -> UUID {
        UUID(
            high: .random(in: 0...UInt64.max) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: .random(in: 0...UInt64.max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    public init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for index in 0..<36 {
            let byte = text[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = HexadecimalDigits.value(of: byte) else { return nil }
            if index < 18 { high = high << 4 | UInt64(value) } else { low = low << 4 | UInt64(value) }
        }
        self.init(high: high, low: low)
    }

    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes.span)
    }

    public var description: String {
        var text = TextBuffer(reservingByteCount: 64)
        text.append(self)
        return text.string
    }
}

public enum HexadecimalDigits {
    @inlinable
    public static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    @inlinable
    public static func digit(of value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value & 15) - 10
    }

    public static func text(of number: some UnsignedInteger, count: Int, uppercase: Bool = false) -> String {
        let digits = String(number, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
