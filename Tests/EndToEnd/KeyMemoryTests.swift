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

        @Test("has no private key in a page that a core dump would contain")
        func pages() throws {
            let options = TesterOptions().with { $0.startsDaemon = false }
            try Tester.run(options) { tester in
                let needles = try Self.configure(tester, appCount: 7)
                try tester.folder.write(TestOffers.rules, to: "data/app.rules.json")
                try tester.startDaemon()
                for _ in 0..<50 { #expect(try TestOffers.keyID(tester) == "KEY0") }
                try Self.check(try tester.workers, needles, isPoolWorker: true)
                try Self.check([try tester.daemon.processID], needles, isPoolWorker: false)
                // The same is true after a reload. The kernel would not write a core dump anyway: `check` looks at the
                // limit.
                let former = try tester.workers
                try tester.reload()
                try tester.awaitOthers(than: former)
                try Self.check(try tester.workers, needles, isPoolWorker: true)
            }
        }

        /// Configures `appCount` apps, each with its own key.
        ///
        /// - Returns: the bytes of the keys that the test looks for.
        private static func configure(_ tester: Tester, appCount: Int) throws -> [[UInt8]] {
            var apps: [String] = []
            var needles: [[UInt8]] = []
            for index in 0..<appCount {
                let path = try TestOffers.writeKey("KEY\(index)", to: tester)
                needles += try Self.needles(
                    String(decoding: tester.folder.read("KEY\(index).p8"), as: UTF8.self)
                )
                apps.append(
                    """
                    {"appAppleId": \(TestPayload.appAppleId + Int64(index)), "bundleId": "com.example.app\(index)",
                     "environments": ["Production"],
                     "signingKeys": [{"keyId": "KEY\(index)", "issuerId": "i", "file": "\(path)"}]}
                    """
                )
            }
            try tester.writeConfiguration(changes: [("apps", "[\(apps.joined(separator: ","))]")])
            return needles
        }

        private static func check(_ processes: [Int32], _ needles: [[UInt8]], isPoolWorker: Bool) throws {
            for process in processes {
                let limits = try FileDescriptor.openForReading(path: "/proc/\(process)/limits")
                    .readAll(limitBytes: 1 << 16)
                let core = String(decoding: limits, as: UTF8.self).split(separator: "\n")
                    .first { $0.hasPrefix("Max core file size") }
                let words = core?.split(separator: " ").dropFirst(4).prefix(2) ?? []
                #expect(words.elementsEqual(["0", "0"]), "\(core ?? "")")
                var count = 0
                for mapping in try mappings(of: process) {
                    let found = try contains(needles, mapping, of: process)
                    #expect(!found || !mapping.isDumped, "\(mapping) of \(process)")
                    if found { count += 1 }
                }
                // A worker must have a key in memory. So this also shows that the search finds a key.
                #expect(!isPoolWorker || count > 0)
            }
        }

        /// The private number in the byte order of the file and in that of OpenSSL's words, and a part of the PEM text
        /// that encodes it.
        private static func needles(_ pem: String) throws -> [[UInt8]] {
            let text = Array(pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined().utf8)
            let decoded = Base64.decode(text.span)
            let der = try #require(decoded)
            // ECPrivateKey (RFC 5915): version 1, then the number as an OCTET STRING.
            let mark: [UInt8] = [0x02, 0x01, 0x01, 0x04, 0x20]
            let place = try #require(der.indices.first { der[$0...].starts(with: mark) })
            let number = Array(der[place + mark.count..<place + mark.count + 32])
            // The text of the file has lines of 64 characters; the number is in the first.
            return [number, number.reversed(), Array(text[40..<64])]
        }

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
            // The blocks overlap, so that a key on the border of two blocks is found.
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
