import FastCGI
import Support
import System
import Testing

private typealias Records = FastCGIRecords

@Suite("Parked requests")
struct ParkingTests {
    @Test("are answered later, and their connections can be used again")
    func later() throws {
        let bench = try ServedBench.parking()
        let client = try bench.connect()
        for round in 0..<3 as Range<UInt8> {
            try client.send(Records.request(body: [round]))
            try bench.settle()
            #expect(client.isSilent())
            #expect(bench.bodies.last == [round])
            #expect(bench.server.parkedCount == 1)
            #expect(bench.answerParked([round, 7]))
            #expect(try client.readReply().body == [round, 7])
            #expect(bench.server.parkedCount == 0)
        }
        // A request that is not parked follows on the same connection.
        bench.parksRequests = false
        try client.send(Records.request(body: [9]))
        try bench.settle()
        #expect(try client.readReply().body == [9])
        #expect(bench.server.counts.answeredCount == 4 && bench.server.counts.parkedCount == 3)
        #expect(bench.server.connectionCount == 1)
    }

    @Test("are answered in any order, while other requests come and go")
    func anyOrder() throws {
        let bench = try ServedBench.parking()
        let clients = try (0..<20).map { _ in try bench.connect() }
        for (index, client) in clients.enumerated() {
            try client.send(Records.request(body: [UInt8(index)]))
            try bench.settle()
        }
        #expect(bench.server.parkedCount == 20)
        bench.parksRequests = false
        let other = try bench.connect()
        var open = Array(clients.indices)
        var random = SeededGenerator(for: "ParkingTests.anyOrder")
        while !open.isEmpty {
            let index = Int.random(in: open.indices, using: &random)
            let number = open.remove(at: index)
            #expect(bench.answerParked(index, [UInt8(number), 1]))
            #expect(try clients[number].readReply().body == [UInt8(number), 1])
            try other.send(Records.request(body: [2]))
            try bench.settle()
            #expect(try other.readReply().body == [2])
        }
        #expect(clients.allSatisfy { $0.isSilent() })
    }

    @Test("may come in pieces, with padding, and with bodies that no socket holds")
    func shapes() throws {
        let bench = try ServedBench.parking()
        let whole = Records.request(body: pattern(100))
        let padded = Records.padded(Records.begin(), with: [1, 4, 0, 1, 0, 0, 0]) + whole[16...]
        let client = try bench.connect()
        for pieces in [[whole], [padded], [Array(whole[..<20]), Array(whole[20...])]] {
            for piece in pieces {
                try client.send(piece)
                try bench.settle()
            }
            #expect(bench.bodies.last == pattern(100))
            bench.answerParked([1])
            #expect(try client.readReply().body == [1])
        }
        let body = pattern(512 * 1024)
        let bytes = Records.request(body: body)
        for _ in 0..<2 {
            var sent = 0
            while sent < bytes.count {
                sent += try client.sendSome(Array(bytes[sent...]))
                try bench.settle()
            }
            #expect(bench.bodies.last == body)
            bench.answerParked(pattern(60_000))
            #expect(try client.readReply().body == pattern(60_000))
        }
    }

    @Test("whose body nobody has read leave nothing of it in the connection", arguments: [10, 20_000])
    func unreadBody(byteCount: Int) throws {
        let bench = try ServedBench.parking()
        bench.readsBody = false
        let client = try bench.connect()
        for _ in 0..<2 {
            try client.send(Records.request(body: pattern(byteCount)))
            try bench.settle()
            #expect(client.isSilent())
            bench.answerParked([1])
            #expect(try client.readReply().body == [1])
        }
    }

    @Test(
        "of clients that send nothing more get their answer before the connection is closed",
        arguments: [true, false]
    )
    func halfClosed(atOnce: Bool) throws {
        let bench = try ServedBench.parking()
        let client = try bench.connect()
        try client.send(Records.request(body: [1]))
        if !atOnce { try bench.settle() }
        client.finishSending()
        try bench.settle()
        #expect(bench.server.parkedCount == 1 && client.isSilent())
        #expect(bench.answerParked([2]))
        #expect(try client.readReply().body == [2])
        #expect(client.isClosed() && bench.server.connectionCount == 0)
    }

    @Test("of clients that go free their connection at once, and their place with the answer")
    func gone() throws {
        let bench = try ServedBench.parking()
        var client: FastCGIClient? = try bench.connect()
        try client?.send(Records.request(body: [1, 2, 3]))
        try bench.settle()
        client = nil
        try bench.settle()
        #expect(bench.server.connectionCount == 0 && bench.server.counts.abandonedCount == 1)
        #expect(bench.server.parkedCount == 1)
        // The next client gets the same descriptor and must not get the answer.
        let other = try bench.connect()
        try other.send(Records.request(body: [4]))
        try bench.settle()
        #expect(!bench.answerParked([5]))
        #expect(other.isSilent())
        #expect(bench.server.parkedCount == 1)
        #expect(bench.answerParked([6]))
        #expect(try other.readReply().body == [6])
    }

    @Test(
        "leave in the socket what arrives in between, and nothing but a request is answered",
        arguments: [
            (Records.request(body: [9]), true), (Records.record(type: 2), false),
            ([0, 0, 0, 0, 0, 0, 0, 0], false),
            (Records.record(type: 9, id: 0, content: Records.pairs([("FCGI_MPXS_CONNS", "")])), false),
        ]
    )
    func bytesBeforeAnswer(bytes: [UInt8], isRequest: Bool) throws {
        let bench = try ServedBench.parking()
        let client = try bench.connect()
        try client.send(Records.request(body: [1]))
        try bench.settle()
        try client.send(bytes)
        try bench.settle()
        #expect(bench.bodies == [[1]] && client.isSilent())
        bench.answerParked([2])
        try bench.settle()
        #expect(try client.readReply().body == [2])
        guard isRequest else {
            #expect(client.isClosed() && bench.server.connectionCount == 0)
            return
        }
        #expect(bench.bodies == [[1], [9]])
        bench.answerParked([3])
        #expect(try client.readReply().body == [3])
    }

    @Test("can be answered while another request is handled")
    func duringRequest() throws {
        let bench = try ServedBench.parking()
        let first = try bench.connect()
        try first.send(Records.request(body: [1]))
        try bench.settle()
        bench.parksRequests = false
        bench.duringRequest = { bench.answerParked([2]) }
        let second = try bench.connect()
        // One request lies whole in the socket, the other one is collected.
        let bytes = Records.request(body: [3])
        try second.send(Array(bytes[..<30]))
        try bench.settle()
        try second.send(Array(bytes[30...]))
        try bench.settle()
        bench.duringRequest = {}
        #expect(try first.readReply().body == [2])
        #expect(try second.readReply().body == [3])
    }
}
