import System
import Testing
import Vocabulary

@Suite("Nonces")
struct NonceTests {
    @Test("do not repeat in a million, are of version 4, and random in every other bit")
    func million() throws {
        let count = 1_000_000
        var nonces: [(high: UInt64, low: UInt64)] = []
        nonces.reserveCapacity(count)
        var isMarked = true
        var ones = [Int](repeating: 0, count: 128)
        for index in 0..<count {
            let nonce = try UUID.random()
            nonces.append((nonce.high, nonce.low))
            isMarked = isMarked && nonce.high >> 12 & 0xF == 4 && nonce.low >> 62 == 0b10
            guard index % 16 == 0 else { continue }
            for bit in 0..<64 {
                ones[bit] += Int(nonce.high >> UInt64(bit) & 1)
                ones[64 + bit] += Int(nonce.low >> UInt64(bit) & 1)
            }
        }
        #expect(isMarked)
        nonces.sort { $0 < $1 }
        let repeated = (1..<count).count { nonces[$0] == nonces[$0 - 1] }
        #expect(repeated == 0)
        // Eight standard deviations of 62,500 coins: 1,000.
        let fixed = Set(12...15).union([126, 127])
        for bit in 0..<128 where !fixed.contains(bit) {
            #expect((30_250...32_250).contains(ones[bit]), "bit \(bit): \(ones[bit])")
        }
    }
}
