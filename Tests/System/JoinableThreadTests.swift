import Support
import System
import Testing

@Suite("A thread beside a test")
struct JoinableThreadTests {
    /// An object whose thread uses it, as a sender of a load does.
    private final class Owner: Sendable {
        let folder: TemporaryDirectory

        init(_ folder: TemporaryDirectory) { self.folder = folder }

        func start() throws -> JoinableThread<String> { try JoinableThread { self.folder.path } }
    }

    @Test("lets go of what it used when it has ended")
    func release() throws {
        var folder: TemporaryDirectory? = try TemporaryDirectory()
        weak let watched = folder
        let thread = try folder.map { try Owner($0).start() }
        folder = nil
        #expect(thread?.join() != nil)
        withExtendedLifetime(thread) { #expect(watched == nil) }
    }
}
