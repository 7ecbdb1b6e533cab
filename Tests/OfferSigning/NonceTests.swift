import System
import Testing
import Vocabulary

@Suite("Nonces")
struct NonceTests {
    @Test("do not repeat in a million, have version 4, and are random in every other bit")
    func million() throws {
        // A run with a sanitizer makes a tenth of them.
        let isShort = ProcessEnvironment.value(of: "RETENTION_SHORT_TESTS") == "1"
        let count = isShort ? 100_000 : 1_000_000
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
        // Eight standard deviations of as many coin tosses: 1,000 of 62,500.
        let half = count / 32
        let deviation = Int(4 * Double(count / 16).squareRoot())
        let fixed = Set(12...15).union([126, 127])
        for bit in 0..<128 where !fixed.contains(bit) {
            #expect(abs(ones[bit] - half) <= deviation, "bit \(bit): \(ones[bit])")
        }
    }
}
