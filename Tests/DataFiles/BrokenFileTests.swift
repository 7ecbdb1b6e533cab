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

    @Test("are refused for every bit of the header that is flipped, each with its own stable code")
    func headerBits() throws {
        try SampleModel.checkHeaderBits(golden: "header-bits.txt")
    }

    @Test("are refused for every byte of the file that is flipped")
    func everyByte() {
        SampleModel.checkEveryByte()
    }

    @Test("never trap, whatever the bytes, opened in full or by structure alone")
    func mutations() {
        SampleModel.mutate(rounds: 4000, seed: "broken rules files")
    }
}
