/// Encodes and decodes base64url without padding, as JWS uses it (RFC 7515 section 2, RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet = Base64Alphabet(last: "-_")

    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        encode(bytes, appendingTo: &text)
        return text
    }

    public static func encode(_ bytes: Span<UInt8>, appendingTo text: inout [UInt8]) {
        alphabet.encode(bytes, appendingTo: &text)
    }

    public static func encodedCount(of byteCount: Int) -> Int { (byteCount * 4 + 2) / 3 }

    /// Decodes `text` and replaces the contents of `output` by the bytes. The function is strict: it refuses padding,
    /// characters of another alphabet, white space and trailing bits that are not zero. An empty text gives no bytes.
    /// Returns false when `text` is refused; the contents of `output` are then meaningless.
    public static func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        alphabet.decode(text, into: &output)
    }

    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        return decode(text, into: &output) ? output : nil
    }
}

/// Encodes and decodes base64 with padding, as `x5c` uses it (RFC 7515 section 4.1.6, RFC 4648 section 4).
public enum Base64 {
    private static let alphabet = Base64Alphabet(last: "+/")

    public static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        alphabet.encode(bytes, appendingTo: &text)
        while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Decodes `text` and returns the bytes. Returns nil unless `text` consists of characters of the standard alphabet, padded
    /// to a multiple of four, without white space and with trailing bits of zero.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        var length = text.count
        while length > 0, text.count - length < 2, text[length - 1] == UInt8(ascii: "=") { length -= 1 }
        var output: [UInt8] = []
        return alphabet.decode(text.extracting(first: length), into: &output) ? output : nil
    }
}

/// One of the two base64 alphabets of RFC 4648, with the decoding and encoding that both share.
struct Base64Alphabet: Sendable {
    private let values: [UInt8]
    /// For each of the four places in a group of characters, the value of each byte there, shifted to its place in the
    /// group's three bytes, of which the first one is the lowest.
    private let groups: [UInt32]
    private let characters: [UInt8]
    private let pairs: [UInt16]
    private static let invalid: UInt8 = 0xFF
    private static let invalidGroup: UInt32 = 0x100_0000

    init(last: StaticString) {
        var characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        characters += Array(last.description.utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        pairs = (0..<4096).map { UInt16(characters[$0 & 63]) << 8 | UInt16(characters[$0 >> 6]) }
        var groups = [UInt32](repeating: Self.invalidGroup, count: 1024)
        for (value, character) in characters.enumerated() {
            for place in 0..<4 {
                let group = UInt32(value) << UInt32(18 - 6 * place)
                groups[place * 256 + Int(character)] = group.byteSwapped >> 8
            }
        }
        self.groups = groups
        self.characters = characters
        self.values = values
    }

    /// Decodes the unpadded `text` and replaces the contents of `output` by the bytes. Returns false for a character that is
    /// not in the alphabet, for a length of 4n + 1 and for trailing bits that are not zero (RFC 4648 section 3.5), so that
    /// every byte string has exactly one accepted text.
    func decode(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        let remainder = text.count & 3
        guard remainder != 1 else { return false }
        let done = unsafe text.withUnsafeBufferPointer { source -> Bool in
            unsafe groups.withUnsafeBufferPointer { table -> Bool in
                unsafe Self.decodeQuads(UnsafeRawBufferPointer(source), table, into: &output)
            }
        }
        guard done else { return false }
        guard remainder > 0 else { return true }
        return decodeTail(text.extracting(last: remainder), into: &output)
    }

    private static func decodeQuads(
        _ source: UnsafeRawBufferPointer, _ table: UnsafeBufferPointer<UInt32>, into output: inout [UInt8]
    ) -> Bool {
        let quads = source.count / 4
        guard quads > 0, let table = table.baseAddress else {
            output = []
            return true
        }
        // Four bytes are written for each three, so the block has room for one more than the tail needs.
        output = unsafe [UInt8](unsafeUninitializedCapacity: quads * 3 + 3) { block, count in
            let target = UnsafeMutableRawBufferPointer(block)
            var seen: UInt32 = 0
            for quad in 0..<quads {
                let text = unsafe UInt32(
                    littleEndian: source.loadUnaligned(fromByteOffset: quad &* 4, as: UInt32.self)
                )
                let first = unsafe table[Int(text & 255)] | table[256 | Int(text >> 8 & 255)]
                let second = unsafe table[512 | Int(text >> 16 & 255)] | table[768 | Int(text >> 24)]
                // One check after the loop finds any invalid byte.
                seen |= first | second
                unsafe target.storeBytes(
                    of: (first | second).littleEndian, toByteOffset: quad &* 3, as: UInt32.self)
            }
            count = seen & invalidGroup == 0 ? quads * 3 : 0
        }
        return !output.isEmpty
    }

    private func decodeTail(_ text: Span<UInt8>, into output: inout [UInt8]) -> Bool {
        let a = values[Int(text[0])]
        let b = values[Int(text[1])]
        guard a != Self.invalid, b != Self.invalid else { return false }
        output.append(a << 2 | b >> 4)
        guard text.count == 3 else { return b & 15 == 0 }
        let c = values[Int(text[2])]
        guard c != Self.invalid, c & 3 == 0 else { return false }
        output.append(b << 4 | c >> 2)
        return true
    }

    func encode(_ bytes: Span<UInt8>, appendingTo text: inout [UInt8]) {
        let remainder = bytes.count % 3
        let whole = bytes.count / 3
        text.append(addingCapacity: whole * 4 + 3) { output in
            unsafe output.withUnsafeMutableBufferPointer { block, count in
                let room = UnsafeMutableRawBufferPointer(block)
                unsafe encodeTriples(of: bytes, into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
                count += whole * 4
            }
            guard remainder > 0 else { return }
            let a = bytes[whole * 3]
            let b = remainder == 2 ? bytes[whole * 3 + 1] : 0
            output.append(characters[Int(a >> 2)])
            output.append(characters[Int((a & 3) << 4 | b >> 4)])
            if remainder == 2 { output.append(characters[Int((b & 15) << 2)]) }
        }
    }

    private func encodeTriples(of bytes: Span<UInt8>, into room: UnsafeMutableRawBufferPointer) {
        let whole = bytes.count / 3
        guard whole > 0, room.count >= whole * 4, let target = room.baseAddress else { return }
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe pairs.withUnsafeBufferPointer { table in
                guard let source = source.baseAddress, let table = table.baseAddress else { return }
                for triple in 0..<whole {
                    let place = triple &* 3
                    let a = unsafe Int(source[place])
                    let b = unsafe Int(source[place &+ 1])
                    let c = unsafe Int(source[place &+ 2])
                    let first = unsafe UInt32(table[a << 4 | b >> 4])
                    let second = unsafe UInt32(table[(b & 15) << 8 | c])
                    unsafe target.storeBytes(
                        of: (first | second << 16).littleEndian, toByteOffset: triple &* 4, as: UInt32.self)
                }
            }
        }
    }
}
