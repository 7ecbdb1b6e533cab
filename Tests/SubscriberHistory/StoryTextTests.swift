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
}
