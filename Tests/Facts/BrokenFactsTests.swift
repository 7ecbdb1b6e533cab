import Facts
import FuzzBodies
import Support
import Testing

@Suite("Broken facts files")
struct BrokenFactsTests {
    @Test("are refused with a stable code", arguments: BrokenFactsZoo.all)
    func zoo(damage: FactsDamage) throws {
        try damage.check()
    }

    @Test("are refused wherever they are cut off")
    func truncations() {
        FactsSample.checkTruncations()
    }

    @Test("are refused for every flipped bit of the header, with a stable code for each")
    func headerBits() throws {
        try FactsSample.checkHeaderBits(golden: "facts-header-bits.txt")
    }

    @Test("are refused, or have another meaning, for every flipped bit of the header and a digest that fits")
    func resealedHeaderBits() throws {
        // These fields may have any number or text: minor version, app, generation, build time and writer. The
        // environment has other valid values, and resealing repairs the digest.
        let mayOpen = Set(10..<12).union([26]).union(32..<56).union(64..<88).union(96..<128)
        try FactsSample.checkHeaderBits(
            golden: "facts-header-bits-resealed.txt", resealed: true, mayOpen: mayOpen)
    }

    @Test("are refused for every section that begins or ends at another place, with a stable code for each")
    func sectionPlaces() throws {
        var lines = ""
        for (number, section) in try FactsSample.header(opening: FactsSample.bytes).sections.enumerated() {
            let name = FactsSection(rawValue: section.kind)?.name ?? "\(section.kind)"
            for (field, value, place) in [("offset", section.offset, 8), ("length", section.byteCount, 16)] {
                for change in [-64, -8, -1, 1, 8, 64, 4096] where value + change >= 0 {
                    var bytes = FactsSample.bytes
                    let start = DataFileHeader.byteCount + number * 32 + place
                    let moved = FactsDamage.Value.u64(UInt64(value + change)).bytes
                    bytes.replaceSubrange(start..<start + moved.count, with: moved)
                    let resealed = DataFileHeader.resealed(bytes)
                    let code = FactsSample.refusal(resealed)
                    #expect(code != "opened", "\(name) \(field) \(change)")
                    lines += "\(name) \(field) \(change) \(code)\n"
                    FactsSample.fuzz(resealed)
                }
            }
        }
        try GoldenFile.check(lines, "Tests/Facts/Golden/facts-section-places.txt")
    }

    @Test("are refused for a flipped bit in any byte of the file")
    func everyByte() {
        FactsSample.checkEveryByte()
    }

    @Test("are refused for every row with a string number that has no string")
    func wrongRows() throws {
        // Tokens take 6 bits, for string 10 to string 69 of 71. Six ones refer to no string.
        let file = try FactsFile(bytes: FactsSample.bytes, check: .full)
        let rows = try FactsSample.place(of: .rows).offset
        let width = 12
        for row in stride(from: 0, to: file.rowCount, by: 7) {
            var bytes = FactsSample.bytes
            // The token is in bits 20 to 25 of a row, after 8 presence bits and columns of 4, 1, 2 and 5 bits.
            bytes[rows + row * width + 2] |= 0xF0
            bytes[rows + row * width + 3] |= 0x03
            #expect(
                FactsSample.refusal(DataFileHeader.resealed(bytes)) == "data-file.bad-value", "row \(row)")
        }
    }

    @Test("never cause a trap, whatever the bytes, with all checks or those of the structure")
    func mutations() {
        FactsSample.mutate(rounds: 800, seed: "broken facts files")
    }
}
