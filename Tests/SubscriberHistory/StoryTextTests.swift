import Cryptography
import SubscriberHistory
import Support
import Testing

@Suite("All facts of all stories, as text", .timeLimit(.minutes(5)))
struct StoryTextTests {
    @Test("are those of the golden files", arguments: Story.groups.indices)
    func text(_ place: Int) throws {
        let group = Story.groups[place]
        let text = group.stories.map { StoryText(story: $0).description }.joined(separator: "\n")
        try GoldenFile.check(text, "Tests/SubscriberHistory/Golden/\(group.name).txt")
    }

    /// The version of the derivation, the digest of the golden files that belong to it, and that of all states.
    private static let version: (number: Int64, golden: String, states: String) = (
        11, "d605370b4c18d3c8", "6173bfe848d33c42"
    )

    @Test("belong to a version of the derivation, so that no store keeps states of another one")
    func version() throws {
        var text: [UInt8] = []
        for name in Story.groups.map(\.name).sorted() {
            text += try SourceFile.read("\(SourceFile.root)/Tests/SubscriberHistory/Golden/\(name).txt")
        }
        let states = Story.all.flatMap { FactPieces($0.payloads)?.bytes ?? [] }
        // Facts or the bytes of states have changed: raise the version, and write the digests here.
        #expect(Self.version.golden == SHA256.hash(text.span).hexadecimal.prefix(16))
        #expect(Self.version.states == SHA256.hash(states.span).hexadecimal.prefix(16))
        #expect(Self.version.number == HistoryFacts.version)
    }
}
