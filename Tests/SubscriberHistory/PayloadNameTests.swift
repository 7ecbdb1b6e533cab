import Support
import Testing

@testable import SubscriberHistory

@Suite("The name of a payload")
struct PayloadNameTests {
    @Test("is the same whether it comes from a digest or from its digits, and has their text")
    func digests() {
        var generator = SeededGenerator(for: "PayloadNameTests.digests")
        for _ in 0..<100 {
            let digest = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let digits = digest.map { byte in
                let text = String(byte, radix: 16)
                return text.utf8.count == 1 ? "0" + text : text
            }.joined()
            #expect(PayloadName(digest: digest).text == digits)
            #expect(PayloadName(digits) == PayloadName(digest: digest))
            #expect(PayloadName(digits).hashValue == PayloadName(digest: digest).hashValue)
        }
    }

    @Test("keeps a text that is no digest in lower case")
    func texts() {
        let texts = ["", "n1", String(repeating: "A", count: 64), String(repeating: "g", count: 64), "é"]
        for text in texts { #expect(PayloadName(text).text == text) }
        #expect(PayloadName(digest: [0x0A, 0xFF]).text == "0aff")
        #expect(PayloadName(digest: []).text == "")
    }

    @Test("is ordered as the bytes of its text are")
    func order() {
        var generator = SeededGenerator(for: "PayloadNameTests.order")
        var texts = ["", "0", "f", "g", "00000000-0000-4000-8000-000000000001", "é"]
        texts += (0..<40).map { _ in
            // Few digits, so that digests begin alike and differ late.
            (0..<64).map { _ in Bool.random(using: &generator) ? "8" : "7" }.joined()
        }
        texts += [String(repeating: "0", count: 64), String(repeating: "f", count: 64)]
        texts += [String(repeating: "7", count: 63) + "8", String(repeating: "7", count: 64)]
        for left in texts {
            for right in texts {
                let isBefore = left.utf8.lexicographicallyPrecedes(right.utf8)
                #expect((PayloadName(left) < PayloadName(right)) == isBefore)
            }
        }
    }
}
