import System
import Testing

@Suite("The hash of tables in files")
struct WordHashTests {
    @Test(
        "is the hash of FORMAT.md, as another program computes it",
        arguments: [
            ("", 0x0000000000000000),
            ("a", 0xF412DEBF8A59E1A7),
            ("en-US", 0x414D257EAECD6C27),
            ("1234567", 0x3E6CC569E26F72B3),
            ("12345678", 0xDB9BF9428E7E5A66),
            ("123456789", 0x70D200EADFB7A827),
            ("1234567812345678", 0xDC2245812F60C84C),
            ("com.example.product.150.monthly", 0xABC0146E54BF080F),
            ("é\0ü", 0xBBBC9AB231436B8A),
        ] as [(String, UInt64)]
    )
    func vectors(text: String, hash: UInt64) {
        #expect(Array(text.utf8).span.wordHash == hash)
    }

    @Test(
        "spreads similar names over the buckets, wherever they differ",
        arguments: ["com.example.product.#.monthly", "com.example.product.#", "#", "#.com.example.product"]
    )
    func spread(names: String) {
        var taken: [UInt64: Int] = [:]
        for number in 0..<4096 {
            let text = Array(names.replacing("#", with: "\(number)").utf8)
            taken[text.span.wordHash & 8191, default: 0] += 1
        }
        // 4,096 balls that are thrown at random fill 39 % of 8,192 boxes, and hardly ever is a box hit 8 times. Better
        // values are fine.
        #expect(taken.count > 3100)
        #expect((taken.values.max() ?? 0) < 9)
    }
}
