import DataFiles
import Support
import Testing

@Suite("Broken facts files")
struct BrokenFactsTests {
    /// Opens, expecting a refusal; answers its code.
    static func refusal(_ bytes: [UInt8]) -> String {
        do throws(DataFileError) {
            _ = try FactsFile(bytes: bytes, check: .full)
            return "opened"
        } catch {
            return error.code
        }
    }

    @Test("are refused with a stable code", arguments: BrokenFactsZoo.all)
    func zoo(damage: FactsDamage) throws {
        let bytes = try damage.apply(to: FactsSample.bytes)
        #expect(Self.refusal(bytes) == damage.code)
        fuzzFactsFile(bytes.span)
    }

    @Test("are refused wherever they are cut off")
    func truncations() {
        let bytes = FactsSample.bytes
        for count in Set(stride(from: 0, to: bytes.count, by: 64)).union(0..<160) {
            let cut = Array(bytes[..<count])
            #expect(Self.refusal(cut) == "data-file.truncated", "\(count) bytes")
            #expect(Self.refusal(DataFileHeader.resealed(cut)) == "data-file.truncated", "\(count) bytes")
            fuzzFactsFile(cut.span)
        }
        #expect(Self.refusal(bytes + [0]) == "data-file.trailing-bytes")
        #expect(Self.refusal(bytes + [UInt8](repeating: 0, count: 64)) == "data-file.trailing-bytes")
    }

    @Test("are refused for every bit of the header that is flipped, each with its own stable code")
    func headerBits() throws {
        var lines: [String] = []
        for offset in 0..<DataFileHeader.byteCount {
            var codes: [String] = []
            for bit in 0..<8 {
                var bytes = FactsSample.bytes
                bytes[offset] ^= 1 << UInt8(bit)
                codes.append(Self.refusal(bytes))
                fuzzFactsFile(bytes.span)
            }
            #expect(!codes.contains("opened"), "byte \(offset)")
            let isSame = Set(codes).count == 1
            lines.append("\(offset) " + (isSame ? codes[0] : codes.joined(separator: " ")))
        }
        try GoldenFile.check(
            lines.joined(separator: "\n") + "\n",
            "Tests/DataFiles/Golden/facts-header-bits.txt"
        )
    }

    @Test("say something else with a digest that fits, or are refused: every bit of the header again")
    func resealedHeaderBits() throws {
        // What may be any number or text: the minor version, app, generation, build time and writer.
        let free = Set(10..<12).union(32..<56).union(64..<88)
        var lines: [String] = []
        for offset in 0..<DataFileHeader.byteCount {
            var codes: [String] = []
            for bit in 0..<8 {
                var bytes = FactsSample.bytes
                bytes[offset] ^= 1 << UInt8(bit)
                let resealed = DataFileHeader.resealed(bytes)
                let code = Self.refusal(resealed)
                // The digest itself is mended by the sealing; the environment has other values that mean something.
                let mayOpen = free.contains(offset) || offset == 26 || offset >= 96
                #expect(code != "opened" || mayOpen, "bit \(bit) of byte \(offset)")
                codes.append(code)
                fuzzFactsFile(resealed.span)
            }
            let isSame = Set(codes).count == 1
            lines.append("\(offset) " + (isSame ? codes[0] : codes.joined(separator: " ")))
        }
        try GoldenFile.check(
            lines.joined(separator: "\n") + "\n",
            "Tests/DataFiles/Golden/facts-header-bits-resealed.txt"
        )
    }

    @Test("are refused for every section that begins or ends elsewhere, each with its own stable code")
    func sectionPlaces() throws {
        let sections = try FactsFile(bytes: FactsSample.bytes, check: .full).header.sections
        var lines: [String] = []
        for (number, section) in sections.enumerated() {
            let name = FactsSection(rawValue: section.kind)?.name ?? "\(section.kind)"
            for (field, value, place) in [
                ("offset", section.offset, 8), ("length", section.byteCount, 16),
            ] {
                for change in [-64, -8, -1, 1, 8, 64, 4096] where value + change >= 0 {
                    var bytes = FactsSample.bytes
                    let start = DataFileHeader.byteCount + number * 32 + place
                    for index in 0..<8 {
                        bytes[start + index] = UInt8(truncatingIfNeeded: (value + change) >> (8 * index))
                    }
                    let resealed = DataFileHeader.resealed(bytes)
                    let code = Self.refusal(resealed)
                    #expect(code != "opened", "\(name) \(field) \(change)")
                    lines.append("\(name) \(field) \(change) \(code)")
                    fuzzFactsFile(resealed.span)
                }
            }
        }
        try GoldenFile.check(
            lines.joined(separator: "\n") + "\n",
            "Tests/DataFiles/Golden/facts-section-places.txt"
        )
    }

    @Test("are refused for every eleventh byte of the file that is flipped")
    func everyByte() {
        for offset in stride(from: 0, to: FactsSample.bytes.count, by: 11) {
            var bytes = FactsSample.bytes
            bytes[offset] ^= 0x10
            #expect(Self.refusal(bytes) != "opened", "byte \(offset)")
        }
    }

    @Test("are refused for every stored string and key that means nothing")
    func wrongRows() throws {
        // Tokens take 6 bits, from string 10 to string 69 of 71: ones there mean nothing.
        let file = try FactsFile(bytes: FactsSample.bytes, check: .full)
        let rows = try FactsSample.offset(of: .rows)
        let width = 12
        for row in stride(from: 0, to: file.rowCount, by: 7) {
            var bytes = FactsSample.bytes
            // Bits 20 to 25 of a row: 8 presences, 4, 1, 2 and 5 bits before them.
            bytes[rows + row * width + 2] |= 0xF0
            bytes[rows + row * width + 3] |= 0x03
            #expect(Self.refusal(DataFileHeader.resealed(bytes)) == "data-file.bad-value", "row \(row)")
        }
    }

    @Test("never trap, whatever the bytes, opened in full or by structure alone")
    func mutations() {
        var random = SeededGenerator(for: "broken facts files")
        for _ in 0..<800 {
            var bytes = FactsSample.bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // Mostly in the header, the table and the small sections, where a byte means most.
                let end = Bool.random(using: &random) ? bytes.count : 5000
                let offset = Int.random(in: 0..<min(end, bytes.count), using: &random)
                bytes[offset] =
                    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { bytes = DataFileHeader.resealed(bytes) }
            fuzzFactsFile(bytes.span)
        }
    }
}
