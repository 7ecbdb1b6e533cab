@testable import Rules
import Support
import System
import Testing

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
}
