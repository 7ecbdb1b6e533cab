internal import CJansson
internal import Glibc

/// The long strings of a text, which jansson does not read: it takes 10 ns for each byte, and a notification has signed
/// parts of 5 KB each. jansson gets a text in which a short mark stands for each long string, and the strings are copied
/// into its tree afterwards.
///
/// The text must have passed ``JSONPrescan`` and must be UTF-8. A text with a backslash, or with the byte of the marks,
/// keeps its long strings, so that no other string can look like a mark.
struct LongStrings {
    private static let leastByteCount = 512
    /// The byte on both sides of a mark's number: DELETE, which JSON allows in a string.
    private static let fence: UInt8 = 0x7F
    private var places: [Range<Int>] = []

    init?(in text: Span<UInt8>) {
        guard text.count > Self.leastByteCount, Self.index(of: UInt8(ascii: "\\"), in: text, from: 0) == nil,
            Self.index(of: Self.fence, in: text, from: 0) == nil
        else { return nil }
        var position = 0
        while let opening = Self.index(of: UInt8(ascii: "\""), in: text, from: position),
            let closing = Self.index(of: UInt8(ascii: "\""), in: text, from: opening + 1)
        {
            position = closing + 1
            guard closing - opening > Self.leastByteCount else { continue }
            let next = JSONPrescan.firstNonWhitespace(text, from: position)
            // jansson compares names, so it must see them.
            guard let next, text[next] != UInt8(ascii: ":") else { continue }
            places.append(opening + 1..<closing)
        }
        guard !places.isEmpty else { return nil }
    }

    func shortened(_ text: Span<UInt8>) -> [UInt8] {
        var short: [UInt8] = []
        var position = 0
        func append(_ range: Range<Int>, to short: inout [UInt8]) {
            unsafe text.extracting(range).withUnsafeBufferPointer { unsafe short.append(contentsOf: $0) }
        }
        for (number, place) in places.enumerated() {
            append(position..<place.lowerBound, to: &short)
            short.append(Self.fence)
            short += Array(String(number).utf8)
            short.append(Self.fence)
            position = place.upperBound
        }
        append(position..<text.count, to: &short)
        return short
    }

    func restore(in tree: UnsafeMutablePointer<json_t>, from text: Span<UInt8>) -> Bool {
        switch unsafe tree.pointee.type {
        case JSON_STRING:
            guard let place = unsafe place(of: tree) else { return true }
            return unsafe text.extracting(place).withUnsafeBytes { block in
                let start = unsafe block.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe json_string_setn_nocheck(tree, start, block.count) == 0
            }
        case JSON_ARRAY:
            for index in 0..<(unsafe json_array_size(tree)) {
                guard let element = unsafe json_array_get(tree, index) else { continue }
                guard unsafe restore(in: element, from: text) else { return false }
            }
        case JSON_OBJECT:
            var iterator = unsafe json_object_iter(tree)
            while let current = unsafe iterator {
                if let value = unsafe json_object_iter_value(current) {
                    guard unsafe restore(in: value, from: text) else { return false }
                }
                unsafe iterator = unsafe json_object_iter_next(tree, current)
            }
        default: break
        }
        return true
    }

    private func place(of value: UnsafeMutablePointer<json_t>) -> Range<Int>? {
        guard let start = unsafe json_string_value(value) else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: json_string_length(value))
        guard bytes.count > 2, unsafe bytes[0] == Self.fence else { return nil }
        let digits = unsafe bytes[1..<bytes.count - 1]
        return unsafe Int(String(decoding: digits, as: UTF8.self)).map { places[$0] }
    }

    private static func index(of byte: UInt8, in text: Span<UInt8>, from start: Int) -> Int? {
        unsafe text.withUnsafeBytes { block in
            guard start < block.count, let base = block.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), block.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
