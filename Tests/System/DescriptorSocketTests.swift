import Support
import System
import Testing

@Suite("A descriptor socket")
struct DescriptorSocketTests {
    @Test("carries bytes and descriptors, close-on-exec")
    func roundTrip() throws {
        let pair = try DescriptorSocket.pair()
        let file = try SealedMemory(copying: [1, 2, 3].span, name: "test")
        try pair.ours.send([7, 8].span, descriptors: [file.descriptor.number])
        let message = try #require(try pair.theirs.receive(capacityBytes: 16))
        #expect(message.bytes == [7, 8])
        #expect(message.descriptors.numbers.count == 1)
        let received = try message.descriptors.duplicate(at: 0)
        let sealed = try SealedMemory(verifying: received)
        #expect(sealed.byteCount == 3)
    }

    @Test("has nothing to receive before something is sent")
    func empty() throws {
        let pair = try DescriptorSocket.pair()
        let nothing = try pair.ours.receive(capacityBytes: 16) == nil
        #expect(nothing)
    }

    @Test("receives an empty message when the other end is gone")
    func endOfFile() throws {
        let ours = try DescriptorSocket.pair().keepOurs()
        let message = try #require(try ours.receive(capacityBytes: 16))
        #expect(message.bytes.isEmpty && message.descriptors.numbers.isEmpty)
        let error = #expect(throws: SystemCallError.self) { try ours.send([1].span) }
        #expect(error?.code == "system.epipe")
    }

    @Test("refuses a message that is too large")
    func tooLarge() throws {
        let pair = try DescriptorSocket.pair()
        try pair.ours.send([UInt8](repeating: 1, count: 17).span)
        #expect(throws: SystemCallError.found(.messageTooLong)) {
            _ = try pair.theirs.receive(capacityBytes: 16)
        }
    }

    @Test(
        "takes as many descriptors as fit into one message",
        arguments: [(128, nil), (129, "message.too-many-descriptors")] as [(Int, String?)]
    )
    func descriptorCount(count: Int, code: String?) throws {
        let pair = try DescriptorSocket.pair()
        let numbers = [Int32](repeating: pair.ours.descriptor.number, count: count)
        do {
            try pair.ours.send([1].span, descriptors: numbers)
            #expect(code == nil)
            let message = try #require(try pair.theirs.receive(capacityBytes: 1))
            #expect(message.descriptors.numbers.count == count)
        } catch let error as SystemCallError {
            #expect(error.code == code)
        }
    }

    @Test("does not wait for a slow reader")
    func full() throws {
        let pair = try DescriptorSocket.pair()
        let block = [UInt8](repeating: 0, count: 4096)
        let error = #expect(throws: SystemCallError.self) {
            for _ in 0..<10_000 { try pair.ours.send(block.span) }
        }
        #expect(error?.code == "system.eagain")
    }
}
