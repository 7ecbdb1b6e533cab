import DataFileWriting
import DataFiles
import Support
import Testing
import Vocabulary

@Suite("Writing a rules file")
struct RulesFileWriterTests {
    @Test("gives a file that reads back as the same model, which is written as the same bytes")
    func roundTrip() throws {
        let file = try RulesFile(bytes: SampleModel.bytes, check: .full)
        let model = RulesModel(reading: file)
        #expect(RulesFileWriter.write(model, stamp: SampleModel.stamp) == SampleModel.bytes)
        #expect(model.messages.map(\.name) == SampleModel.model.messages.map(\.name))
        #expect(model.facts == SampleModel.model.facts)
        #expect(model.products == SampleModel.model.products)
        #expect(model.segments == SampleModel.model.segments)
        #expect(model.holdout == SampleModel.model.holdout)
        #expect(model.caps == SampleModel.model.caps)
        #expect(model.tests == SampleModel.model.tests)
        #expect(Set(model.localeFallbacks) == Set(SampleModel.model.localeFallbacks))
        #expect(model.lastLocale == "en-US")
        #expect(model.defaultOutcome == .message(0))
    }

    @Test("gives the same bytes as the sample of version 1.2")
    func sample() throws {
        #expect(
            try GoldenFile.keep(SampleModel.bytes, "Tests/DataFiles/Samples/1.2.rules") == SampleModel.bytes
        )
    }

    @Test("again with another stamp changes nothing but the stamp")
    func restamp() throws {
        var stamp = SampleModel.stamp
        stamp.generation += 1
        stamp.builtAtMilliseconds += 5
        stamp.writerVersion = "another writer with a long name"
        let again = try RulesFileWriter.restamp(SampleModel.bytes, stamp: stamp)
        #expect(again == RulesFileWriter.write(SampleModel.model, stamp: stamp))
        #expect(try RulesFile(bytes: again, check: .full).header.writerVersion == "another writer with a lo")
    }
}
