/// Checks name-value pairs (FastCGI Specification 1.0, section 3.4) against the limits, without keeping them.
///
/// The lengths are 31-bit numbers from outside. They are added as `Int`, which cannot overflow, and are compared with
/// the limits before anything is allocated for them.
struct ParameterCheck: Sendable {
    private enum Field: Sendable { case nameLength, valueLength, text }

    private var field = Field.nameLength
    /// The number of bytes that are missing of a four-byte length.
    private var lengthLeft = 0
    private var length = 0
    private var nameByteCount = 0
    private var textLeft = 0
    private var byteCount = 0
    private var pairCount = 0

    /// True when the last pair is complete.
    var isWhole: Bool { field == .nameLength && lengthLeft == 0 }

    /// Checks the next bytes of the stream. Returns false when a limit is exceeded.
    mutating func consume(_ bytes: Span<UInt8>) -> Bool {
        byteCount += bytes.count
        guard byteCount <= FastCGILimits.parameterByteCount else { return false }
        var position = 0
        while position < bytes.count {
            if field == .text {
                let count = min(textLeft, bytes.count - position)
                position += count
                textLeft -= count
                if textLeft == 0 { field = .nameLength }
                continue
            }
            let byte = bytes[position]
            position += 1
            if lengthLeft > 0 {
                length = length << 8 | Int(byte)
                lengthLeft -= 1
            } else if byte & 0x80 != 0 {
                length = Int(byte & 0x7f)
                lengthLeft = 3
            } else {
                length = Int(byte)
            }
            if lengthLeft == 0, !endOfLength() { return false }
        }
        return true
    }

    private mutating func endOfLength() -> Bool {
        if field == .nameLength {
            nameByteCount = length
            field = .valueLength
            return length <= FastCGILimits.parameterByteCount
        }
        pairCount += 1
        textLeft = nameByteCount + length
        field = textLeft == 0 ? .nameLength : .text
        return textLeft <= FastCGILimits.parameterByteCount && pairCount <= FastCGILimits.parameterCount
    }
}
