import Cryptography
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The memory of a process that signs")
    struct KeyMemoryTests {
        /// A mapping of a process, from its `smaps`.
        private struct Mapping {
            let range: Range<UInt64>
            let name: String
            let isDumped: Bool
        }

        @Test("has the private key in no page that a core dump would have")
        func pages() throws {
            let options = TesterOptions().with { $0.startsDaemon = false }
            try Tester.run(options) { tester in
                // Made elsewhere: this process need not be looked into.
                _ = try TestOffers.writeKey("KEY", to: tester)
                try TestOffers.configure(tester, keys: ["KEY"])
                try TestOffers.pushRules(to: tester)
                try tester.startDaemon()
                for _ in 0..<50 { #expect(try TestOffers.keyID(tester) == "KEY") }
                let needles = try Self.needles(String(decoding: tester.folder.read("KEY.p8"), as: UTF8.self))
                var protectedCount = 0
                for process in try tester.workers + [tester.daemon.processID] {
                    for mapping in try Self.mappings(of: process) {
                        let found = try Self.contains(needles, mapping, of: process)
                        #expect(!found || !mapping.isDumped, "\(mapping) of \(process)")
                        if found { protectedCount += 1 }
                    }
                }
                // Where it has to be, and where the test would find it.
                #expect(protectedCount >= 2)
            }
        }

        /// The private number in the order of the file and in that of OpenSSL's words, and the text around it.
        private static func needles(_ pem: String) throws -> [[UInt8]] {
            let text = Array(pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined().utf8)
            let der = try #require(decoded(text))
            // ECPrivateKey (RFC 5915): version 1, then the number as an OCTET STRING.
            let mark: [UInt8] = [0x02, 0x01, 0x01, 0x04, 0x20]
            let place = try #require(der.indices.first { der[$0...].starts(with: mark) })
            let number = Array(der[place + mark.count..<place + mark.count + 32])
            return [number, number.reversed(), Array(text[40..<80])]
        }

        private static func decoded(_ text: [UInt8]) -> [UInt8]? { Base64.decode(text.span) }

        private static func mappings(of process: Int32) throws -> [Mapping] {
            let bytes = try FileDescriptor.openForReading(path: "/proc/\(process)/smaps")
                .readAll(limitBytes: 64 << 20)
            var mappings: [Mapping] = []
            var head: (range: Range<UInt64>, name: String)?
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ", omittingEmptySubsequences: true)
                let ends = words[0].split(separator: "-").map { UInt64($0, radix: 16) }
                if ends.count == 2, let start = ends[0], let end = ends[1], words[1].contains("r") {
                    head = (start..<end, words.dropFirst(5).joined(separator: " "))
                } else if ends.count == 2, ends[0] != nil {
                    head = nil
                } else if words[0] == "VmFlags:", let mapping = head {
                    let isDumped = !words.contains("dd")
                    mappings.append(Mapping(range: mapping.range, name: mapping.name, isDumped: isDumped))
                }
            }
            return mappings.filter { $0.name != "[vvar]" && $0.name != "[vsyscall]" }
        }

        private static func contains(_ needles: [[UInt8]], _ mapping: Mapping, of process: Int32) throws
            -> Bool
        {
            let memory = try FileDescriptor.openForReading(path: "/proc/\(process)/mem")
            var place = mapping.range.lowerBound
            // Blocks overlap, so that nothing is missed between two.
            var block = [UInt8](repeating: 0, count: 1 << 20)
            while place < mapping.range.upperBound {
                let count = (try? memory.read(into: &block, at: Int(place))) ?? 0
                guard count > 64 else { return false }
                let end = min(count, Int(mapping.range.upperBound - place))
                for needle in needles where find(needle, in: block, end: end) { return true }
                place += UInt64(end - 63)
                if end < 128 { return false }
            }
            return false
        }

        private static func find(_ needle: [UInt8], in block: [UInt8], end: Int) -> Bool {
            var from = 0
            let bytes = block.span.extracting(0..<end)
            while let place = ByteComparison.firstIndex(of: needle[0], in: bytes, from: from) {
                if place + needle.count <= end,
                    ByteComparison.areEqual(bytes.extracting(place..<place + needle.count), needle.span)
                {
                    return true
                }
                from = place + 1
            }
            return false
        }
    }
}
