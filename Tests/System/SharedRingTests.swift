import Glibc
import Support
import Synchronization
import Testing

@testable import System

@Suite("A queue in shared memory")
struct SharedRingTests {
    /// Two processes' sides of one queue.
    private static func sides(byteCount: Int) throws -> (Box, Box) {
        let ring = try SharedRing(byteCount: byteCount, name: "test")
        let copy = try FileDescriptor.duplicate(of: ring.descriptorNumber)
        return (Box(ring), Box(try SharedRing(inheriting: copy, byteCount: byteCount)))
    }

    /// A class, because a tuple cannot hold a noncopyable value.
    private final class Box: @unchecked Sendable {
        private var ring: SharedRing
        init(_ ring: consuming SharedRing) { self.ring = ring }
        var waitingByteCount: Int { ring.waitingByteCount }
        var descriptorNumber: Int32 { ring.descriptorNumber }
        func append(_ message: [UInt8]) -> Bool { ring.append(message.span) }
        func mustWake() -> Bool { ring.mustWake() }
        func asksToBeWoken() -> Bool { ring.askToBeWoken() }
        func takeWaiting(_ body: ([UInt8]) -> Void = { _ in }) -> Bool {
            ring.takeWaiting { body($0.copied()) }
        }
        func take() -> [UInt8]? {
            var taken: [UInt8]?
            _ = ring.take { taken = $0.copied() }
            return taken
        }
    }

    @Test(
        "gives messages of any length and number in their order, whatever the other side does",
        arguments: 1...20
    )
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (one, other) = try Self.sides(byteCount: 4096)
        var waiting: [[UInt8]] = []
        var (appended, taken, refused) = (0, 0, 0)
        for _ in 0..<20_000 {
            if Bool.random(using: &generator) {
                let length = Int.random(in: 1...(seed % 2 == 0 ? 500 : 40), using: &generator)
                let message = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
                if one.append(message) {
                    waiting.append(message)
                    appended += 1
                } else {
                    refused += 1
                    // Half of the memory is enough for a message of at most an eighth, wherever it begins.
                    #expect(one.waitingByteCount > 2048)
                }
            } else {
                #expect(other.take() == (waiting.isEmpty ? nil : waiting.removeFirst()))
                taken += 1
            }
            #expect((one.waitingByteCount == 0) == waiting.isEmpty)
        }
        #expect(appended > 5000 && taken > 5000 && (refused > 0 || seed % 2 == 1))
    }

    @Test("refuses a message that is empty, too long, or has no room, and takes it when there is room again")
    func full() throws {
        let (one, other) = try Self.sides(byteCount: 1024)
        let message = [UInt8](repeating: 7, count: 120)
        #expect(!one.append([]) && !one.append(message + [1]))
        var count = 0
        while one.append(message) { count += 1 }
        #expect(count == 8)
        #expect(other.take() == message)
        #expect(one.append(message) && !one.append(message))
        for _ in 0..<8 { #expect(other.take() == message) }
        #expect(other.take() == nil)
    }

    @Test("begins at the beginning again when it is empty, so that it uses little memory")
    func fresh() throws {
        let (one, other) = try Self.sides(byteCount: 1 << 20)
        let message = [UInt8](repeating: 1, count: 248)
        for _ in 0..<20_000 {
            #expect(one.append(message))
            #expect(other.take() == message)
        }
        let memory = try SharedCounterMemory(
            inheriting: FileDescriptor.duplicate(of: one.descriptorNumber),
            count: 24 + (1 << 20) / 8
        )
        #expect((24 + 32..<memory.count).allSatisfy { memory.load($0) == 0 })
    }

    @Test("has room for as much as ever after it was empty")
    func roomAgain() throws {
        let (one, other) = try Self.sides(byteCount: 8192)
        let message = [UInt8](repeating: 1, count: 120)
        for round in 0..<100 {
            for _ in 0..<round % 64 { #expect(one.append(message)) }
            for _ in 0..<round % 64 { #expect(other.take() == message) }
            for _ in 0..<64 { #expect(one.append(message)) }
            #expect(!one.append(message))
            for _ in 0..<64 { #expect(other.take() == message) }
        }
    }

    @Test("gives what waits at one time, and leaves what comes meanwhile for the next time")
    func waiting() throws {
        let (one, other) = try Self.sides(byteCount: 1024)
        #expect(!other.takeWaiting())
        for round in 0..<100 {
            let count = 1 + round % 4
            for number in 0..<count { #expect(one.append([UInt8](repeating: UInt8(number), count: 90))) }
            var taken: [UInt8] = []
            let isTaken = other.takeWaiting { message in
                taken.append(message[0])
                #expect(one.append(message))
            }
            #expect(isTaken && taken == (0..<count).map { UInt8($0) })
            taken = []
            #expect(other.takeWaiting { taken.append($0[0]) })
            #expect(taken == (0..<count).map { UInt8($0) } && !other.takeWaiting())
        }
    }

    @Test("counts a message as taken before it is used, so that none is used twice")
    func once() throws {
        let (one, other) = try Self.sides(byteCount: 1024)
        #expect(one.append([1]))
        var waiting: Int?
        let isTaken = other.takeWaiting { _ in waiting = one.waitingByteCount }
        #expect(isTaken && waiting == 0)
    }

    @Test("asks to be woken only while it is empty, and is woken once")
    func wake() throws {
        let (one, other) = try Self.sides(byteCount: 1024)
        #expect(!one.mustWake())
        #expect(other.asksToBeWoken())
        #expect(one.append([1]) && one.mustWake() && !one.mustWake())
        #expect(!other.asksToBeWoken() && !one.mustWake())
        #expect(other.take() == [1] && other.asksToBeWoken())
        #expect(one.mustWake())
    }

    /// What the two threads of a test share beside the queue.
    private final class Meeting: Sendable {
        let takerHasEnded = Atomic(false)
        let wakeUp: WakeUp
        init() throws { wakeUp = try WakeUp() }
    }

    // Both sides have threads of their own. As a task, a side that waits could keep the other side from running at all.
    @Test("loses nothing and never sleeps on a message while two threads use it")
    func threads() throws {
        let (one, other) = try Self.sides(byteCount: 2048)
        let count = 100_000
        let meeting = try Meeting()
        let taker = try JoinableThread<Int> {
            defer { meeting.takerHasEnded.store(true, ordering: .releasing) }
            var (sum, next) = (0, 0)
            while next < count {
                if let message = other.take() {
                    guard message.count == 1 + next % 90, message[0] == UInt8(next % 251) else { return -1 }
                    sum += message.count
                    next += 1
                } else if other.asksToBeWoken() {
                    let woken = try? Readiness.wait(
                        for: [meeting.wakeUp.descriptor.number],
                        timeoutMilliseconds: 60_000
                    )
                    guard woken?.isEmpty == false else { return -2 }
                    meeting.wakeUp.clear()
                }
            }
            return sum
        }
        let appender = try JoinableThread<Int> {
            var sum = 0
            for number in 0..<count {
                let message = [UInt8](repeating: UInt8(number % 251), count: 1 + number % 90)
                while !one.append(message) {
                    // A taker that has ended makes no room any more.
                    if meeting.takerHasEnded.load(ordering: .acquiring) { return sum }
                    sched_yield()
                }
                if one.mustWake() { meeting.wakeUp.announce() }
                sum += message.count
            }
            return sum
        }
        let appended = appender.join()
        #expect(taker.join() == appended)
        #expect(appended == (0..<count).reduce(0) { $0 + 1 + $1 % 90 })
    }

    @Test(
        "survives any bytes in its memory: it gives no more than the memory has, and works on afterwards",
        arguments: 1...30
    )
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let byteCount = 1024
        let memory = try SharedCounterMemory(count: 24 + byteCount / 8, name: "test")
        let one = Box(
            try SharedRing(
                inheriting: FileDescriptor.duplicate(of: memory.descriptor.number),
                byteCount: byteCount
            )
        )
        let other = Box(
            try SharedRing(
                inheriting: FileDescriptor.duplicate(of: memory.descriptor.number),
                byteCount: byteCount
            )
        )
        for _ in 0..<2000 {
            let word = Int.random(in: 0..<memory.count, using: &generator)
            let values: [UInt64] = [
                0, 1, 8, 127, 128, .max, .max - 1, 1 << 63, UInt64.random(in: 0...4096, using: &generator),
            ]
            memory.store(values.randomElement(using: &generator) ?? 0, at: word)
            #expect((0...byteCount).contains(one.waitingByteCount))
            _ = one.append([1, 2, 3])
            if word % 8 == 0 { _ = other.takeWaiting() }
            for _ in 0..<10 {
                if let message = other.take() { #expect(message.count <= byteCount) }
            }
            _ = (one.mustWake(), other.asksToBeWoken())
        }
        // Whatever the words say now, what is appended after one look arrives.
        if seed % 2 == 0 { _ = other.takeWaiting() } else { while other.take() != nil {} }
        #expect(one.append([9]))
        var last: [UInt8]?
        #expect(other.takeWaiting { last = $0 } && last == [9])
    }
}
