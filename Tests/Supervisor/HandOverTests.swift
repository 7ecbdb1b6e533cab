import System
import Testing

@testable import Supervisor

@Suite("The hand-over to a new binary")
struct HandOverTests {
    static let whole = HandOver(
        listen: 3,
        socketFile: FileIdentity(device: 25, inode: .max),
        pidFile: 5,
        state: 15,
        counters: 6,
        generation: 4,
        sequence: 9,
        settings: PoolSettings(workerCount: 2, drainMilliseconds: 5000),
        manifest: 7,
        keys: 14,
        marks: 16,
        files: [8, 9],
        workers: [
            .init(id: 12, processID: 4711, control: 10, slot: 0, isReady: true),
            .init(id: 13, processID: 4712, control: 11, slot: -1, isReady: false),
        ]
    )

    @Test("is read back as it was written, whether it has few parts or many")
    func roundTrip() {
        #expect(HandOver(Self.whole.text) == Self.whole)
        #expect(Self.whole.descriptors == [3, 5, 6, 7, 14, 15, 16, 8, 9, 10, 11])
        var empty = Self.whole
        empty.files = []
        empty.state = -1
        empty.marks = -1
        empty.socketFile = nil
        empty.workers = []
        #expect(HandOver(empty.text) == empty)
        var large = Self.whole
        large.files = (100..<356).map { $0 }
        large.generation = PoolLimits.sequenceLimit
        large.sequence = PoolLimits.sequenceLimit
        large.workers = (1...1024).map {
            .init(
                id: Int($0),
                processID: 100_000 + $0,
                control: 1000 + $0,
                slot: Int($0),
                isReady: $0 % 2 == 0
            )
        }
        #expect(HandOver(large.text) == large)
    }

    @Test(
        "is refused when one part of it is wrong",
        arguments: [
            ("4;", "1;"), ("4;", "3;"), ("4;", ""), ("4;", "4;4;"), ("listen=3", "listen=-3"),
            ("marks=16;", ""), ("marks=16", "marks=-2"), ("marks=16", "marks=8"),
            ("socket=25:18446744073709551615;", ""), ("socket=25:", "socket="), ("socket=25:", "socket=-1:"),
            ("socket=25:18446744073709551615", "socket=25:18446744073709551616"),
            ("socket=25:", "socket=25:1:"), ("socket=25:18446744073709551615", "socket="),
            ("listen=3", "listen=x"),
            ("listen=3", "listen="), ("listen=3;", ""), ("listen=3", "listen=99999999999"),
            ("pid=5", "pid=5;pid=6"), ("counters=6;", ""), ("generation=4", "generation=-4"),
            ("manifest=7", "manifest"), ("keys=14;", ""), ("keys=14", "keys=-1"), ("files=8,9", "files=8,x"),
            ("files=8,9", "files=8,-9"),
            ("w=12:", "w=0:"), ("12:4711:10:0:1", "12:4711:10:0"), ("12:4711:10:0:1", "12:4711:10:0:1:1"),
            ("12:4711:10:0:1", "12:0:10:0:1"), ("12:4711:10:0:1", "12:4711:-1:0:1"),
            ("12:4711:10:0:1", "12:4711:10:-2:1"), ("12:4711:10:0:1", "12:4711:10:0:2"),
            ("12:4711:10:0:1", "12::10:0:1"), (";w=", ";x="),
            ("sequence=9", "sequence=9223372036854775807"), ("sequence=9", "sequence=9223372036854775806"),
            ("sequence=9", "sequence=-9223372036854775808"), ("sequence=9", "sequence=9007199254740993"),
            ("sequence=9", "sequence=0"), ("generation=4", "generation=9223372036854775807"),
            ("generation=4", "generation=0"), ("workers=2", "workers=9223372036854775807"),
            ("workers=2", "workers=0"), ("workers=2", "workers=4097"),
            ("drain=5000", "drain=9223372036854775807"), ("drain=5000", "drain=-1"),
            ("listen=3", "listen=2"), ("listen=3", "listen=5"), ("keys=14", "keys=7"),
            ("files=8,9", "files=8,8"),
            ("state=15", "state=-2"), ("state=15", "state=5"), ("state=15;", ""), ("13:4712", "12:4712"),
            ("13:4712", "13:4711"), ("4712:11", "4712:10"),
        ]
    )
    func refusal(part: String, other: String) {
        let text = Self.whole.text
        #expect(text.contains(part))
        #expect(HandOver(text.replacing(part, with: other, maxReplacements: 1)) == nil)
    }

    @Test("comes with a return ticket, which does not interpret the old binary's hand-over")
    func ticket() {
        let ticket = ReturnTicket(
            executable: 12,
            path: "/usr/bin/retentiond",
            handOver: "9;any=thing\nat all"
        )
        #expect(ReturnTicket(ticket.text) == ticket)
        for text in ["", "12", "12\n/a", "x\n/a\nb", "2\n/a\nb", "12\na\nb"] {
            #expect(ReturnTicket(text) == nil, "\(text)")
        }
        let failed = FailedUpgrade(code: "supervisor.upgrade-unreadable", path: "/usr/bin/retentiond")
        #expect(FailedUpgrade(failed.text) == failed)
        for text in ["", "a", "\n/a", "a\nb", "a\n/b\nc"] { #expect(FailedUpgrade(text) == nil, "\(text)") }
    }
}
