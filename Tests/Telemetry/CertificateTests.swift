import Cryptography
import Logging
@testable import Pool
import Support
import System
import Testing

@Suite("The certificates in use")
struct CertificateTests {
    private static let day: Int64 = 86_400_000

    @Test("are those that any process saw last")
    func sharing() throws {
        let supervisor = try SharedCounters(codes: SharedCountersTests.codes, startedAt: 0)
        let worker = try SharedCountersTests.share(supervisor)
        #expect(supervisor.certificateEnds.isEmpty)
        for (position, end) in [(.anchor, 7), (.leaf, 5), (.leaf, 9)] as [(UsedCertificate.Position, Int64)] {
            worker.note(
                UsedCertificate(
                    position: position, fingerprint: SHA256.hash([1].span), notAfterMilliseconds: end))
        }
        #expect(supervisor.certificateEnds == [.leaf: 9, .anchor: 7])
        #expect(supervisor.certificateEnds.inOrder.map(\.position) == [.leaf, .anchor])
    }

    @Test("are warned of once a day, from 30 days before the end on")
    func warnings() throws {
        let folder = try TemporaryDirectory()
        let log = ErrorLog()
        try log.use(folder.path(of: "log"))
        let logger = Logger(label: "") { _ in
            LineLogHandler(component: "test", processNumber: 1, level: .info, format: .logfmt, errorLog: log)
        }
        var watch = CertificateWatch()
        var seen = 0
        func look(_ now: Int64, _ ends: CertificateEnds) throws -> [String] {
            watch.look(at: now, ends, logger)
            let lines = String(decoding: try folder.read("log"), as: UTF8.self).split(separator: "\n")
            defer { seen = lines.count }
            return lines.dropFirst(seen).map(String.init)
        }
        let end: Int64 = 1_780_315_200_000
        let begin = end - 30 * Self.day
        let ends: CertificateEnds = [.leaf: end, .anchor: end + 10 * Self.day]
        #expect(try look(begin - 1, ends).isEmpty)
        let first = try look(begin, ends)
        let fields = "code=certificate-ends-soon days=30 ends=2026-06-01T12:00:00Z position=leaf"
        #expect(first.count == 1 && first[0].contains(" warning ") && first[0].hasSuffix(fields), "\(first)")
        #expect(try look(begin + Self.day - 1, ends).isEmpty)
        #expect(try look(begin + Self.day, ends).count == 1)
        #expect(try look(begin + 10 * Self.day, ends).count == 2)
        #expect(
            try look(begin + 10 * Self.day + 1, [.leaf: end + 1, .anchor: .max]).count == 1, "another one")
        let last = try look(end + 1_001, [.leaf: end + 1])
        #expect(last.count == 1 && last[0].contains(" error ") && last[0].contains("days=0 "), "\(last)")
    }
}
