import Testing

@testable import System

@Suite("Sealed memory")
struct SealedMemoryTests {
    @Test("is refused when any one seal is missing")
    func missingSeals() throws {
        let bytes: [UInt8] = [1, 2, 3]
        let all = SealedMemory.seals
        #expect(all.nonzeroBitCount == 4)
        let whole = try SealedMemory.memory(bytes.span, withSeals: all)
        let byteCount = try SealedMemory(verifying: whole.duplicate()).byteCount
        #expect(byteCount == 3)
        for bit in 0..<4 {
            let memory = try SealedMemory.memory(bytes.span, withSeals: all & ~(1 << bit))
            #expect(throws: SystemCallError.found(.notSealed), "without seal \(1 << bit)") {
                _ = try SealedMemory(verifying: memory.duplicate())
            }
            #expect(throws: SystemCallError.found(.changeable), "without seal \(1 << bit)") {
                _ = try ImmutableFile(verifying: memory.duplicate())
            }
        }
    }
}
