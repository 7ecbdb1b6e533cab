import Cryptography
import Logging
import System
import Testing

@testable import Telemetry

@Suite("The table of certificates in use")
struct CertificateTests {
    private static let day: Int64 = 86_400_000

    private static func certificate(
        _ number: UInt8, _ position: UsedCertificate.Position = .leaf, ends: Int64 = 1_000 * day
    ) -> UsedCertificate {
        UsedCertificate(
            position: position, fingerprint: SHA256.hash([number].span), notAfterMilliseconds: ends)
    }

    @Test("is shared by all processes, and has the latest of each position")
    func sharing() throws {
        let supervisor = try SharedCounters(codes: SharedCountersTests.codes, startedAt: 0)
        let worker = try SharedCountersTests.share(supervisor)
        #expect(supervisor.certificatesInUse.isEmpty)
        let all = UsedCertificate.Position.allCases.map { Self.certificate(1, $0) }
        for certificate in all { worker.note(certificate, atMilliseconds: 5) }
        #expect(supervisor.certificatesInUse == all)
        for certificate in all { supervisor.note(certificate, atMilliseconds: 6) }
        #expect(worker.certificatesInUse == all)
    }

    /// Notes certificates in a table in shared memory and in a list, and returns what both have.
    private static func note(_ notes: [(UsedCertificate, Int64)]) throws -> [UsedCertificate] {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        var list = CertificateSightings()
        for (certificate, time) in notes {
            counters.note(certificate, atMilliseconds: time)
            list.note(certificate, atMilliseconds: time)
        }
        #expect(Set(list.inUse) == Set(counters.certificatesInUse))
        return list.inUse
    }

    @Test("forgets a leaf a day after another one came, and an anchor after five minutes")
    func windows() throws {
        let (old, new) = (Self.certificate(1), Self.certificate(2))
        #expect(try Self.note([(old, 0)]) == [old], "however long ago")
        #expect(try Set(Self.note([(old, 0), (new, Self.day - 1)])) == [old, new])
        #expect(try Self.note([(old, 0), (new, Self.day)]) == [new])
        #expect(try Set(Self.note([(old, 0), (new, Self.day), (old, Self.day)])) == [old, new])
        let (former, present) = (Self.certificate(1, .anchor), Self.certificate(2, .anchor))
        #expect(try Set(Self.note([(former, 0), (present, 299_999)])) == [former, present])
        #expect(try Self.note([(former, 0), (present, 300_000)]) == [present])
    }

    @Test("is bounded: a new certificate takes the place of the one that was not seen for the longest time")
    func bounds() throws {
        let many = (0..<200 as Range<UInt8>).map { Self.certificate($0) }
        let anchor = Self.certificate(1, .anchor)
        var notes: [(UsedCertificate, Int64)] = [(anchor, 0)]
        for (index, leaf) in many.enumerated() { notes.append((leaf, Int64(index))) }
        let found = try Self.note(notes)
        let anchors = found.filter { $0.position == .anchor }
        #expect(anchors == [anchor], "each position has its own room")
        let leaves = found.filter { $0.position == .leaf }
        #expect(Set(leaves) == Set(many.suffix(16)))
    }

    @Test("passes over a row that another process has not finished")
    func halfWritten() throws {
        let counters = try SharedCounters(codes: [], startedAt: 0)
        let certificate = Self.certificate(1)
        counters.note(certificate, atMilliseconds: 1)
        let row = counters.layout.certificates
        for word in row..<row + 8 where word != row + 1 {
            let value = counters.memory.load(word)
            counters.memory.store(value ^ 2, at: word)
            #expect(counters.certificatesInUse.isEmpty == (word < row + 7), "\(word - row)")
            counters.memory.store(value, at: word)
            #expect(counters.certificatesInUse == [certificate])
        }
    }

    @Test("gives the earliest end of each position")
    func ends() {
        let list = [
            Self.certificate(1, ends: 9), Self.certificate(2, ends: 5), Self.certificate(3, .anchor, ends: 7),
        ]
        let ends = CertificateSightings.ends(list).map { "\($0.position.rawValue) \($0.milliseconds)" }
        #expect(ends == ["leaf 5", "anchor 7"])
    }

    @Test("warns of each certificate once a day, from 30 days before its end on")
    func warnings() {
        var watch = CertificateWatch()
        let end = 1_000 * Self.day
        let (soon, later) = (Self.certificate(1, ends: end), Self.certificate(2, ends: end + 10 * Self.day))
        let begin = end - 30 * Self.day
        func look(_ now: Int64, _ list: [UsedCertificate]) -> [Int64] {
            watch.look(at: now, list).map(\.days)
        }
        #expect(look(begin - 1, [soon, later]) == [])
        #expect(look(begin, [soon, later]) == [30])
        #expect(look(begin + 2_000, [soon, later]) == [])
        #expect(look(begin + Self.day - 1, [soon, later]) == [])
        #expect(look(begin + Self.day, [soon, later]) == [29])
        #expect(look(begin + 10 * Self.day, [soon, later]) == [20, 30])
        #expect(look(begin + 10 * Self.day + 1, [later]) == [], "the other one is replaced")
        #expect(look(end + 10 * Self.day + 1_000, [later]) == [0])
        // The wall clock was set back.
        #expect(look(end, [later]) == [10])
    }

    @Test("writes the place, the end and the fingerprint of the certificate")
    func lines() {
        let certificate = Self.certificate(1, .anchor, ends: 1_780_315_200_000)
        let rows: [(after: Int64, message: String, days: String)] = [
            (-Self.day, "a certificate in use ends soon", "1"),
            (999, "a certificate in use ends soon", "0"),
            (1_000, "a certificate in use has ended", "0"),
            (Self.day, "a certificate in use has ended", "-1"),
        ]
        for (after, message, days) in rows {
            let now = certificate.notAfterMilliseconds + after
            let warning = CertificateWarning(certificate: certificate, nowMilliseconds: now)
            #expect(warning.message == message)
            #expect(
                warning.metadata == [
                    "code": "certificate-ends-soon", "position": "anchor", "days": "\(days)",
                    "ends": "2026-06-01T12:00:00Z", "sha256": "\(certificate.fingerprint.hexadecimal)",
                ]
            )
        }
    }
}
