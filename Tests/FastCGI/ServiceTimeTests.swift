import Support
import Testing

@testable import FastCGI

@Suite("The measured time of a request")
struct ServiceTimeTests {
    @Test(
        "starts with an assumption and comes to what is measured",
        arguments: [20_000, 100_000, 2_000_000] as [UInt64]
    )
    func convergence(nanoseconds: UInt64) {
        var service = ServiceTime()
        #expect(service.average == 100_000)
        // Slices of a millisecond, for five seconds.
        let count = Int(max(1, 1_000_000 / nanoseconds))
        let slice = UInt64(count) * nanoseconds
        for _ in 0..<Int(5_000_000_000 / slice) { service.note(count: count, nanoseconds: slice) }
        #expect(service.average > nanoseconds * 95 / 100 && service.average < nanoseconds * 105 / 100)
        // Requests take three times as long: for 0.3 s that changes nothing, after a second it is known.
        for _ in 0..<Int(100_000_000 / slice) { service.note(count: count, nanoseconds: 3 * slice) }
        #expect(service.average < nanoseconds * 105 / 100)
        for _ in 0..<Int(300_000_000 / slice) { service.note(count: count, nanoseconds: 3 * slice) }
        #expect(service.average > nanoseconds * 285 / 100 && service.average < nanoseconds * 315 / 100)
    }

    @Test("weighs measurements by their time, not by their number")
    func weights() {
        var service = ServiceTime()
        for _ in 0..<2_000 {
            service.note(count: 10, nanoseconds: 1_000_000)
            service.note(count: 1, nanoseconds: 4_000_000)
        }
        // Eleven requests took 5 ms.
        #expect(service.average > 400_000 && service.average < 470_000)
    }

    @Test("is hardly changed by one long pause")
    func pause() {
        var service = ServiceTime()
        for _ in 0..<2_000 { service.note(count: 10, nanoseconds: 1_000_000) }
        service.note(count: 1, nanoseconds: 60_000_000_000)
        #expect(service.average < 105_000)
    }

    @Test("is known when one turn answers so many that it takes longer than a pause counts")
    func longTurns() {
        var service = ServiceTime()
        for _ in 0..<100 { service.note(count: 256, nanoseconds: 25_600_000) }
        #expect(service.average > 95_000 && service.average < 105_000)
        // nginx takes half of the processor now.
        for _ in 0..<100 { service.note(count: 256, nanoseconds: 51_200_000) }
        #expect(service.average > 190_000 && service.average < 210_000)
    }

    @Test("never divides by zero, whatever is measured")
    func extremes() {
        var service = ServiceTime()
        for _ in 0..<10_000 { service.note(count: 1, nanoseconds: .max) }
        #expect(service.average > 15_000_000 && service.average <= 20_000_000)
        for _ in 0..<1_000 { service.note(count: 10_000, nanoseconds: 0) }
        for _ in 0..<100 { service.note(count: Int.max / 1_000, nanoseconds: 50_000_000) }
        #expect(service.average < 20_000_000)
    }
}

@Suite("Parameters before libfcgi reads them")
struct ParameterPairsTests {
    private func pairs(_ bytes: [UInt8]) -> [String] {
        let span = bytes.span
        var found: [String] = []
        ParameterPairs.forEach(in: span) { name, value in
            let (name, value) = (name.map { span[$0] }, value.map { span[$0] })
            found.append("\(String(decoding: name, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))")
        }
        return found
    }

    @Test("are found with short and long names and values")
    func found() {
        let long = String(repeating: "v", count: 300)
        let bytes = FastCGIRecords.pairs([("A", "1"), ("", ""), (long, "x"), ("B", long), ("C", "")])
        #expect(pairs(bytes) == ["A=1", "=", "\(long)=x", "B=\(long)", "C="])
        #expect(pairs([]).isEmpty)
    }

    @Test("end where the bytes end, whatever these say")
    func cut() {
        let bytes = FastCGIRecords.pairs([("NAME", "value"), ("LONG", String(repeating: "v", count: 200))])
        for count in 0..<bytes.count { #expect(pairs(Array(bytes[..<count])).count == (count < 11 ? 0 : 1)) }
        #expect(pairs([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).isEmpty)
        #expect(pairs([0x80]).isEmpty && pairs([1, 0x80, 0]).isEmpty)
        var generator = SeededGenerator(for: "parameters")
        for _ in 0..<2_000 {
            let noise = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = pairs(noise)
        }
    }

    @Test("are looked up only where they lie in one record")
    func place() {
        let content = FastCGIRecords.pairs([("A", "1")])
        let whole = FastCGIRecords.request([("A", "1")], body: [1])
        let place = ParameterPairs.place(in: whole.span)
        #expect(place.map { Array(whole[$0].suffix(content.count)) } == content)
        let split =
            FastCGIRecords.begin() + FastCGIRecords.record(type: 4, content: Array(content[..<2]))
            + FastCGIRecords.record(type: 4, content: Array(content[2...])) + FastCGIRecords.record(type: 4)
            + FastCGIRecords.record(type: 5)
        #expect(ParameterPairs.place(in: split.span) == nil)
        let none = FastCGIRecords.begin() + FastCGIRecords.record(type: 4) + FastCGIRecords.record(type: 5)
        #expect(ParameterPairs.place(in: none.span) == nil)
        for count in 0..<32 { #expect(ParameterPairs.place(in: Array(whole[..<count]).span) == nil) }
    }
}
