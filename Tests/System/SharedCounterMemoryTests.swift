internal import CLinux
internal import Glibc
import Support
import Testing

@testable import System

@Suite("Shared counter memory")
struct SharedCounterMemoryTests {
    @Test("is zero at first, and shared by everybody who maps it")
    func sharing() throws {
        let memory = try SharedCounterMemory(count: 600, name: "test")
        #expect((0..<600).allSatisfy { memory.load($0) == 0 })
        let other = try SharedCounterMemory(inheriting: memory.descriptor.duplicate(), count: 600)
        memory.add(3, to: 599)
        other.add(4, to: 599)
        other.store(.max, at: 0)
        memory.add(2, to: 0)
        #expect(memory.load(599) == 7)
        #expect(other.load(599) == 7)
        #expect(memory.load(0) == 1)
        let swaps = [memory.exchange(1, for: 9, at: 0), other.exchange(1, for: 10, at: 0)]
        #expect(swaps == [true, false])
        #expect(other.load(0) == 9)
    }

    @Test("gives each number once")
    func numbers() async throws {
        let memory = try SharedCounterMemory(count: 2, name: "test")
        let copies = try (0..<4).map { _ in try memory.descriptor.duplicate().release() }
        var taken: [UInt64] = []
        await withTaskGroup(of: [UInt64].self) { group in
            for number in copies {
                group.addTask {
                    let descriptor = FileDescriptor(takingOwnership: number)
                    guard let mine = try? SharedCounterMemory(inheriting: descriptor, count: 2) else {
                        return []
                    }
                    return (0..<2000).map { _ in mine.next(1) }
                }
            }
            for await numbers in group { taken += numbers }
        }
        #expect(taken.sorted() == Array(1...8000))
        #expect(memory.load(1) == 8000 && memory.load(0) == 0)
    }

    @Test("keeps the bytes that a killed process wrote")
    func crash() throws {
        let memory = try SharedCounterMemory(count: 4, name: "test")
        // The child writes the byte 42 into word 2 through the descriptor it inherits and kills itself.
        let script = "printf '*' | dd of=/proc/self/fd/3 bs=1 seek=16 conv=notrunc status=none; kill -9 $$"
        var child = ChildProcess(
            executable: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/bin:/usr/bin"])
        child.descriptors = [(memory.descriptor.number, 3)]
        let processID = try child.start()
        #expect(Processes.wait(for: processID) == .signalled(SIGKILL))
        #expect(memory.load(2) == 42)
        memory.add(1, to: 2)
        #expect(memory.load(2) == 43)
    }

    @Test("loses no addition of many threads")
    func threads() async throws {
        let memory = try SharedCounterMemory(count: 1, name: "test")
        let copies = try (0..<4).map { _ in try memory.descriptor.duplicate().release() }
        await withTaskGroup(of: Void.self) { group in
            for number in copies {
                group.addTask {
                    let descriptor = FileDescriptor(takingOwnership: number)
                    guard let mine = try? SharedCounterMemory(inheriting: descriptor, count: 1) else {
                        return
                    }
                    for _ in 0..<20_000 { mine.add(1, to: 0) }
                }
            }
        }
        #expect(memory.load(0) == 80_000)
    }

    @Test("cannot be shrunk or grown, so that no process dies of SIGBUS")
    func seals() throws {
        let memory = try SharedCounterMemory(count: 512, name: "test")
        #expect(ftruncate(memory.descriptor.number, 0) == -1)
        #expect(ftruncate(memory.descriptor.number, 8192) == -1)
        #expect(memory.load(511) == 0)
    }

    @Test("is refused when it has another size or lacks a seal")
    func refusals() throws {
        let memory = try SharedCounterMemory(count: 8, name: "test")
        for count in [7, 9, 0, -1] {
            let error = #expect(throws: SystemCallError.self) {
                _ = try SharedCounterMemory(inheriting: memory.descriptor.duplicate(), count: count)
            }
            #expect(error?.code == "memory.wrong-size")
        }
        // Each memory lacks one seal: it could still be shrunk, grown, or sealed against writing.
        let bytes = [UInt8](repeating: 0, count: 64)
        let seals = SealedMemory.seals & ~Int32(RT_F_SEAL_WRITE)
        #expect(seals.nonzeroBitCount == 3)
        for bit in 0..<3 {
            let open = try SealedMemory.memory(bytes.span, withSeals: seals & ~(1 << bit))
            let error = #expect(throws: SystemCallError.self, "without seal \(1 << bit)") {
                _ = try SharedCounterMemory(inheriting: open.duplicate(), count: 8)
            }
            #expect(error?.code == "memory.not-sealed")
        }
        let sealed = try SealedMemory.memory(bytes.span, withSeals: seals)
        let value = try SharedCounterMemory(inheriting: sealed.duplicate(), count: 8).load(7)
        #expect(value == 0)
        // Memory without any seal is refused too.
        let number = unsafe memfd_create("test", UInt32(RT_MFD_CLOEXEC | RT_MFD_ALLOW_SEALING))
        #expect(ftruncate(number, 64) == 0)
        let error = #expect(throws: SystemCallError.self) {
            _ = try SharedCounterMemory(inheriting: FileDescriptor(takingOwnership: number), count: 8)
        }
        #expect(error?.code == "memory.not-sealed")
    }
}
