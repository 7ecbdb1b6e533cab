import Support
import Testing

@testable import DataFiles

@Suite("Broken rules files")
struct BrokenFileTests {
    @Test("are refused with a stable code", arguments: BrokenFileZoo.all)
    func zoo(damage: Damage) throws {
        try damage.check()
    }

    /// A row damages a node of the operation, or puts the operation into a node that it does not fit.
    @Test("are there for every operation of a condition", arguments: ConditionOperation.allCases)
    func operations(operation: ConditionOperation) throws {
        let place = try SampleModel.place(of: .conditions)
        let nodes = SampleModel.bytes[place.offset..<place.offset + place.byteCount]
        let isDamaged = BrokenFileZoo.all.contains { damage in
            guard damage.section == .conditions, damage.offset >= 0 else { return false }
            let start = damage.offset - damage.offset % ConditionRecord.byteCount
            let isOperation = damage.offset == start && damage.value.bytes == [operation.rawValue]
            return isOperation || nodes[nodes.startIndex + start] == operation.rawValue
        }
        #expect(isDamaged)
    }

    @Test("are refused wherever they are cut off")
    func truncations() {
        SampleModel.checkTruncations()
    }

    @Test("are refused for every flipped bit of the header, with a stable code for each")
    func headerBits() throws {
        try SampleModel.checkHeaderBits(golden: "header-bits.txt")
    }

    @Test("are refused for a flipped bit in any byte of the file")
    func everyByte() {
        SampleModel.checkEveryByte()
    }

    @Test("never cause a trap, whatever the bytes, with all checks or those of the structure")
    func mutations() {
        SampleModel.mutate(rounds: 4000, seed: "broken rules files")
    }
}
