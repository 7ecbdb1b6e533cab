import System
import Testing

@Suite("The hash of tables in files")
struct WordHashTests {
    @Test(
        "is the one of FORMAT.md, as another program computes it",
        arguments: [
            ("", 0x0000000000000000),
            ("a", 0x95DA58F99F363D7D),
            ("en-US", 0x4F09173143CBEDCD),
            ("1234567", 0x0DD61C8327458FC9),
            ("12345678", 0xA70B49E53C262B68),
            ("123456789", 0xDBDF4698A6A39F01),
            ("1234567812345678", 0xA4401162F1C5CF08),
            ("com.example.product.150.monthly", 0x2C8E7E5261FBE432),
            ("é\0ü", 0xB5F8AB55088E25A7),
        ] as [(String, UInt64)]
    )
    func vectors(text: String, hash: UInt64) {
        #expect(Array(text.utf8).span.wordHash == hash)
    }

    @Test("spreads names that differ little over the buckets")
    func spread() {
        var taken: [UInt64: Int] = [:]
        for number in 0..<4096 {
            let text = Array("com.example.product.\(number).monthly".utf8)
            taken[text.span.wordHash & 8191, default: 0] += 1
        }
        // Thrown at random, 4,096 balls leave 39 % of 8,192 boxes with at least one, and hardly ever 8 in one.
        #expect(taken.count > 3100 && taken.count < 3400)
        #expect((taken.values.max() ?? 0) < 9)
    }
}
