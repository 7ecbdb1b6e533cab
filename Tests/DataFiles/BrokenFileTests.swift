import Support
import Testing

@Suite("Broken rules files")
struct BrokenFileTests {
    @Test("are refused with a stable code", arguments: BrokenFileZoo.all)
    func zoo(damage: Damage) throws {
        try damage.check()
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
