internal import System
internal import Testing

@Suite("Reading raw bytes")
struct RawSpanReadingTests {
    @Test("finds integers at any offset, and nothing outside the bytes")
    func integers() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 0xFF]
        let span = unsafe bytes.span.bytes
        #expect(span.uint8(at: 8) == 0xFF)
        #expect(span.uint16(at: 1) == 0x0302)
        #expect(span.uint32(at: 5) == 0xFF08_0706)
        #expect(span.uint64(at: 0) == 0x0807_0605_0403_0201)
        #expect(span.int64(at: 1) == Int64(bitPattern: 0xFF08_0706_0504_0302))
        for offset in [9, -1, Int.max, Int.min] {
            #expect(span.uint8(at: offset) == nil)
            #expect(span.uint16(at: offset) == nil)
            #expect(span.uint32(at: offset) == nil)
            #expect(span.uint64(at: offset) == nil)
        }
        #expect(span.uint16(at: 8) == nil)
        #expect(span.uint32(at: 6) == nil)
        #expect(span.uint64(at: 2) == nil)
        let empty = span.extracting(0..<0)
        #expect(empty.uint16(at: 0) == nil)
        #expect(empty.uint64(at: Int.min) == nil)
    }

    /// Four fields of a fixed layout without gaps.
    private struct Layout: BitwiseCopyable, Equatable {
        var first: UInt32 = 0
        var second: UInt16 = 0
        var third: UInt8 = 0
        var fourth: UInt8 = 0
    }

    @Test("finds a value of fixed layout as it was appended, and nothing outside the bytes")
    func layout() {
        let value = Layout(first: 0x0403_0201, second: 0x0605, third: 7, fourth: 8)
        var bytes: [UInt8] = [0]
        bytes.append(copying: value)
        #expect(bytes == Array(0...8))
        let span = unsafe bytes.span.bytes
        #expect(span.load(as: Layout.self, at: 1) == value)
        for offset in [2, 9, -1, Int.max, Int.min] { #expect(span.load(as: Layout.self, at: offset) == nil) }
    }

    @Test("finds a number among ascending numbers, and nothing outside the bytes")
    func ascending() {
        var bytes: [UInt8] = [0]
        let small: [UInt32] = [1, 5, 9, 0x8000_0000, .max]
        let large: [Int64] = [.min, -1, 0, 7, .max]
        for number in small { bytes += Self.littleEndian(number) }
        for number in large { bytes += Self.littleEndian(number) }
        func holds(_ number: UInt32, at offset: Int = 1, count: Int = 5) -> Bool {
            bytes.span.withRawBytes { $0.ascending(number, at: offset, count: count) }
        }
        func holds(_ number: Int64, at offset: Int = 21, count: Int = 5) -> Bool {
            bytes.span.withRawBytes { $0.ascending(number, at: offset, count: count) }
        }
        for number in small { #expect(holds(number)) }
        for number in [UInt32](arrayLiteral: 0, 2, 10, 0x7FFF_FFFF, .max - 1) { #expect(!holds(number)) }
        for number in large { #expect(holds(number)) }
        for number in [Int64](arrayLiteral: .min + 1, -2, 1, 8, .max - 1) { #expect(!holds(number)) }
        #expect(!holds(UInt32(5), count: 0))
        let outside = [(-1, 1), (1, -1), (60, 1), (1, 16), (Int.max, 1), (0, Int.max), (Int.min, 1)]
        for (offset, count) in outside {
            #expect(!holds(UInt32(1), at: offset, count: count))
            #expect(!holds(Int64(1), at: offset, count: count))
        }
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    @Test("compares long ranges in the order of their bytes")
    func longRanges() {
        for length in 0..<40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            func order(_ count: Int, _ other: [UInt8]) -> Int? {
                bytes.span.withRawBytes { $0.compare(offset: 0, byteCount: count, with: other.span) }?
                    .signum()
            }
            #expect(order(length, bytes) == 0)
            for place in 0..<length {
                var other = bytes
                other[place] &+= 1
                #expect(order(length, other) == (bytes[place] < other[place] ? -1 : 1))
                #expect(order(length, Array(bytes[..<place])) == 1)
                #expect(order(place, bytes) == -1)
            }
        }
    }

    @Test("compares and copies ranges, and nothing outside the bytes")
    func ranges() {
        let bytes = Array("abcd".utf8)
        let span = unsafe bytes.span.bytes
        #expect(span.bytes(offset: 1, byteCount: 2) == Array("bc".utf8))
        #expect(span.bytes(offset: 4, byteCount: 0) == [])
        #expect(span.bytes(offset: 3, byteCount: 2) == nil)
        #expect(span.bytes(offset: Int.max, byteCount: Int.max) == nil)
        let other = Array("bc".utf8)
        #expect(span.compare(offset: 1, byteCount: 2, with: other.span) == 0)
        #expect(span.compare(offset: 1, byteCount: 1, with: other.span).map { $0 < 0 } == true)
        #expect(span.compare(offset: 1, byteCount: 3, with: other.span).map { $0 > 0 } == true)
        #expect(span.compare(offset: 2, byteCount: 3, with: other.span) == nil)
    }
}
