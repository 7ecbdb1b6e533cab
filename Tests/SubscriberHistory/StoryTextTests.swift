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

    /// The versions of the derivation, each with the digest of the golden files that belong to it.
    private static let versions: [(version: Int64, digest: String)] = [
        (8, "67f04886efe6a60f"), (9, "67f04886efe6a60f"),
    ]

    @Test("belong to a version of the derivation, so that no store keeps states of another one")
    func version() throws {
        var text: [UInt8] = []
        for name in Story.groups.map(\.name).sorted() {
            text += try SourceFile.read("\(SourceFile.root)/Tests/SubscriberHistory/Golden/\(name).txt")
        }
        let last = try #require(Self.versions.last)
        // Facts have changed: raise the version, and add it here with the digest.
        #expect(last.digest == SHA256.hash(text.span).hexadecimal.prefix(16))
        #expect(last.version == HistoryFacts.version)
        #expect(Set(Self.versions.map(\.version)).count == Self.versions.count)
    }
}
