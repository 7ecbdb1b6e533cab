import Support
import System
import Testing

@testable import Decisions

@Suite("Buckets")
struct BucketingTests {
    /// A vector of an independent implementation, which the first line of the file names.
    struct Vector: Sendable {
        let salt: String
        let unit: String
        let hash: UInt32
        let bucket: Int

        static func all() throws -> [Vector] {
            let bytes = try SourceFile.read(SourceFile.root + "/Tests/Decisions/Vectors/buckets.tsv")
            let lines = bytes.split(separator: UInt8(ascii: "\n")).dropFirst()
            return try lines.map { line in
                let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                    .map { String(decoding: $0, as: UTF8.self) }
                try #require(fields.count == 4)
                return Vector(
                    salt: fields[0], unit: fields[1], hash: try #require(UInt32(fields[2], radix: 16)),
                    bucket: try #require(Int(fields[3])))
            }
        }
    }

    @Test("are those of an independent MurmurHash3")
    func vectors() throws {
        let vectors = try Vector.all()
        #expect(vectors.count >= 200)
        for vector in vectors {
            #expect(Bucketing.hash(salt: vector.salt, unit: vector.unit) == vector.hash, "\(vector)")
            #expect(Bucketing.bucket(salt: vector.salt, unit: vector.unit) == vector.bucket, "\(vector)")
        }
    }

    @Test(
        "use a hash that agrees with the published vectors of MurmurHash3 x86_32",
        arguments: [
            ("", 0, 0), ("", 1, 0x514E_28B7), ("", .max, 0x81F1_6F39), ("\0\0\0\0", 0, 0x2362_F9DE),
            ("a", 0x9747_B28C, 0x7FA0_9EA6), ("aa", 0x9747_B28C, 0x5D21_1726),
            ("aaa", 0x9747_B28C, 0x283E_0130), ("aaaa", 0x9747_B28C, 0x5A97_808A),
            ("abc", 0x9747_B28C, 0xC84A_62DD), ("Hello, world!", 0x9747_B28C, 0x2488_4CBA),
            ("The quick brown fox jumps over the lazy dog", 0x9747_B28C, 0x2FA8_26CD),
        ] as [(String, UInt32, UInt32)]
    )
    func published(text: String, seed: UInt32, expected: UInt32) {
        var hash = MurmurHash3(seed: seed)
        hash.add(text.utf8Span.span)
        #expect(hash.value == expected)
    }

    @Test("are the same when the bytes come in pieces")
    func pieces() {
        let text = Array("The quick brown fox jumps over the lazy dog".utf8)
        var whole = MurmurHash3()
        whole.add(text.span)
        for cut in text.indices {
            var pieces = MurmurHash3()
            let start = Array(text[..<cut])
            pieces.add(start.span)
            let range = cut..<text.count
            text.span.withRawBytes { pieces.add($0, range) }
            #expect(pieces.value == whole.value)
        }
    }

    /// A chi-square statistic with 9,999 degrees of freedom exceeds this value once in a million times. The value is
    /// 9,999 plus 4.75 times the root of 2 x 9,999, plus a little for the skew (Wilson and Hilferty 1931).
    static let chiSquareLimit = 10_688.0

    @Test("are even for a million consecutive identifiers", arguments: ["annual-1", "holdout-2026q4", ""])
    func spread(salt: String) {
        var counts = [Int](repeating: 0, count: Bucketing.bucketCount)
        for id in 0..<1_000_000 {
            counts[Bucketing.bucket(salt: salt, unit: String(2_000_000_000 + id))] += 1
        }
        let expected = 100.0
        let statistic = counts.reduce(0.0) { sum, count in
            sum + (Double(count) - expected) * (Double(count) - expected) / expected
        }
        #expect(statistic < Self.chiSquareLimit)
        // A distribution that is too even is wrong too.
        #expect(statistic > 2 * 9999 - Self.chiSquareLimit)
    }

    @Test("of holdout, rollout and arms are independent")
    func independence() {
        // Ten parts for each split: a table of 10 x 10 x 10 has 972 degrees of freedom beyond its margins.
        var table = [Int](repeating: 0, count: 1000)
        let count = 300_000
        for id in 0..<count {
            let unit = String(2_000_000_000 + id)
            let parts = ["holdout-2026q4", "annual-1", "annual-1-v"].map {
                Bucketing.bucket(salt: $0, unit: unit) / 1000
            }
            table[parts[0] * 100 + parts[1] * 10 + parts[2]] += 1
        }
        var margins = [[Double]](repeating: [Double](repeating: 0, count: 10), count: 3)
        for (cell, found) in table.enumerated() {
            margins[0][cell / 100] += Double(found)
            margins[1][cell / 10 % 10] += Double(found)
            margins[2][cell % 10] += Double(found)
        }
        var statistic = 0.0
        for (cell, found) in table.enumerated() {
            let product = margins[0][cell / 100] * margins[1][cell / 10 % 10] * margins[2][cell % 10]
            let expected = product / Double(count) / Double(count)
            statistic += (Double(found) - expected) * (Double(found) - expected) / expected
        }
        // 972 plus 4.75 times the root of 2 x 972, plus a little for the skew.
        #expect(statistic < 1195)
    }
}
