import Glibc
import System
import Testing

@Suite("Waiting for descriptors")
struct EventPollTests {
    private func write(_ byte: UInt8, to socket: borrowing StreamSocket) throws {
        let bytes: [UInt8] = [byte]
        try socket.descriptor.write(bytes.span)
    }

    @Test("reports level-triggered readiness repeatedly and edge-triggered readiness once")
    func triggering() throws {
        var poll = try EventPoll(eventCountLimit: 4)
        try StreamSocket.makePair().split { near, far throws in
            try poll.add(near.descriptor.number, token: 7, interest: [.readable, .edgeTriggered])
            try poll.add(far.descriptor.number, token: UInt64.max, interest: .readable)
            let idle = try poll.wait(timeoutMilliseconds: 0)
            #expect(idle == 0)
            try write(1, to: far)
            try write(1, to: near)
            let first = try poll.wait(timeoutMilliseconds: nil)
            #expect(first == 2)
            let tokens = Set([poll.event(at: 0).token, poll.event(at: 1).token])
            #expect(tokens == [7, UInt64.max])
            let again = try poll.wait(timeoutMilliseconds: 0)
            #expect(again == 1)
            let token = poll.event(at: 0).token
            #expect(token == UInt64.max)
            try write(2, to: far)
            let more = try poll.wait(timeoutMilliseconds: 0)
            #expect(more == 2)
        }
    }

    @Test("distinguishes a client that has finished from a client that is gone")
    func ends() throws {
        var poll = try EventPoll(eventCountLimit: 4)
        try StreamSocket.makePair().split { near, far throws in
            try poll.add(near.descriptor.number, token: 1, interest: .readable)
            far.shutDownWriting()
            _ = try poll.wait(timeoutMilliseconds: nil)
            let finished = poll.event(at: 0)
            #expect(finished.isReadable)
            #expect(finished.isPeerFinished)
            #expect(!finished.isPeerGone)
            _ = consume far
            _ = try poll.wait(timeoutMilliseconds: nil)
            let gone = poll.event(at: 0)
            #expect(gone.isPeerGone)
        }
    }

    @Test("forgets descriptors that are removed or closed")
    func removal() throws {
        var poll = try EventPoll(eventCountLimit: 4)
        try StreamSocket.makePair().split { near, far throws in
            try poll.add(near.descriptor.number, token: 1, interest: .readable)
            let error = #expect(throws: SystemCallError.self) {
                try poll.add(near.descriptor.number, token: 2, interest: .readable)
            }
            #expect(error?.code == "system.eexist")
            try write(1, to: far)
            try poll.remove(near.descriptor.number)
            let removed = try poll.wait(timeoutMilliseconds: 0)
            #expect(removed == 0)
            try poll.add(near.descriptor.number, token: 3, interest: .readable)
            _ = consume near
            let closed = try poll.wait(timeoutMilliseconds: 0)
            #expect(closed == 0)
        }
    }

    @Test("shows bytes without taking them, and refuses bytes that come too late")
    func streams() throws {
        // The test ignores SIGPIPE as a worker does, because the error is enough.
        signal(SIGPIPE, SIG_IGN)
        try StreamSocket.makePair().split { near, far throws in
            var buffer = [UInt8](repeating: 0, count: 8)
            #expect(near.peek(into: &buffer) == .nothing)
            try write(5, to: far)
            #expect(near.peek(into: &buffer) == .bytes(1))
            near.shutDownReading()
            let error = #expect(throws: SystemCallError.self) { try write(6, to: far) }
            #expect(error?.code == "system.epipe")
            #expect(near.receive(into: &buffer) == .bytes(1))
            #expect(buffer[0] == 5)
            #expect(near.receive(into: &buffer) == .end)
            // The client can still get an answer.
            try write(7, to: near)
            #expect(far.receive(into: &buffer) == .bytes(1))
        }
    }

    @Test("reads a scratch file from its start, with only its new bytes")
    func scratch() throws {
        let first: [UInt8] = [1, 2, 3, 4]
        let second: [UInt8] = [9]
        var file = try ScratchFile.make(first.span, reusing: nil)
        #expect(try file.readAll(limitBytes: 100) == first)
        file = try ScratchFile.make(second.span, reusing: consume file)
        #expect(try file.readAll(limitBytes: 100) == second)
    }
}
