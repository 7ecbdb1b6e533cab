import Pool
import System
import Testing

@Suite("Control messages")
struct ControlMessageTests {
    @Test(
        "arrive through a socket as they were sent",
        arguments: [
            ControlMessage.ready, .drain(milliseconds: 0), .drain(milliseconds: 0x0102_0304), .recycle,
            .chainHint([0]),
        ]
    )
    func roundTrip(message: ControlMessage) throws {
        try MessageSocket.makePair().split { first, second throws in
            let supervisor = second
            #expect(try supervisor.receiveControl() == .nothing)
            try first.send(message)
            try first.send(.ready)
            #expect(try supervisor.receiveControl() == .message(message))
            #expect(try supervisor.receiveControl() == .message(.ready))
            #expect(try supervisor.receiveControl() == .nothing)
        }
    }

    @Test(
        "are not read from other bytes",
        arguments: [
            [], [0], [6], [7], [255], [1, 0], [2], [2, 0], [2, 0, 0, 0, 0, 0], [3, 3], [4], [5, 1],
        ] as [[UInt8]]
    )
    func refusal(bytes: [UInt8]) {
        #expect(ControlMessage(bytes.span) == nil)
    }

    @Test("that are unknown differ from no message and from a closed socket")
    func unknown() throws {
        try MessageSocket.makePair().split { first, second throws in
            let supervisor = second
            let bytes: [UInt8] = [99, 1]
            try first.send(bytes.span)
            let long = [UInt8](repeating: 4, count: ControlMessage.byteCountLimit + 1)
            try first.send(long.span)
            #expect(try supervisor.receiveControl() == .unknown)
            #expect(try supervisor.receiveControl() == .unknown)
            #expect(try supervisor.receiveControl() == .nothing)
            _ = consume first
            #expect(try supervisor.receiveControl() == .closed)
            let error = #expect(throws: SystemCallError.self) { try supervisor.send(.drain(milliseconds: 1)) }
            #expect(error?.code == "system.epipe")
        }
    }
}
