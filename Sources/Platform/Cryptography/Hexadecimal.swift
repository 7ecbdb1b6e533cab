internal import Vocabulary

/// Converts bytes to hexadecimal digits and back.
public enum Hexadecimal {
    /// Returns two lower-case digits for each byte.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for index in bytes.indices {
                unsafe text[2 * index] = HexadecimalDigits.digit(of: bytes[index] >> 4)
                unsafe text[2 * index + 1] = HexadecimalDigits.digit(of: bytes[index] & 15)
            }
            return 2 * bytes.count
        }
    }

    /// Returns the bytes of pairs of digits, in upper or lower case. Returns nil for an odd number of digits or any other
    /// character.
    public static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 2)
        for index in stride(from: 0, to: characters.count, by: 2) {
            guard let high = HexadecimalDigits.value(of: characters[index]),
                let low = HexadecimalDigits.value(of: characters[index + 1])
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
