import Facts
import Support
import Testing

@Suite("A bucket of a facts file")
struct RepeatedKeyTests {
    @Test("has no key twice and no key out of order, at any place", arguments: [2, 3, 9])
    func repeated(count: Int) throws {
        // The loop finds keys of one bucket by trying.
        var keys: [UInt64] = []
        var key: UInt64 = 1
        while keys.count < count {
            if FactsKey.bucket(of: key, among: 256) == 17 { keys.append(key) }
            key += 1
        }
        var table = FactsTable(columns: [.init(name: "n", kind: .integer)])
        table.rows = keys.map { (key: $0, values: [.integer(Int64($0))]) }
        let bytes = try table.bytes()
        let file = try FactsFile(bytes: bytes, check: .full)
        let section = try #require(file.header.sections.first { $0.kind == FactsSection.keys.rawValue })
        #expect(section.byteCount == count * 8)
        for place in 1..<count {
            for (from, to) in [(place - 1, place), (place, place - 1)] {
                var changed = bytes
                let source = section.offset + from * 8
                let copied = Array(bytes[source..<source + 8])
                changed.replaceSubrange(section.offset + to * 8..<section.offset + to * 8 + 8, with: copied)
                #expect(
                    FactsSample.refusal(DataFileHeader.resealed(changed)) == "data-file.unordered",
                    "\(from) over \(to)")
            }
        }
    }
}
