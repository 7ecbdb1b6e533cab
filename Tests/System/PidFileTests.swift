import Support
import System
import Testing

@Suite("A pid file")
struct PidFileTests {
    @Test("names its holder, refuses a second one and goes with it")
    func life() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path(of: "pool.pid")
        #expect(try PidFile.holder(path: path) == nil)
        do {
            let file = try PidFile(creating: path)
            #expect(try PidFile.holder(path: path) == Processes.current)
            #expect(try folder.read("pool.pid") == Array("\(Processes.current)\n".utf8))
            let error = #expect(throws: SystemCallError.self) { _ = try PidFile(creating: path) }
            #expect(error?.code == "system.ebusy")
            try file.remove()
        }
        #expect(throws: SystemCallError.self) { try FileStatus(path: path) }
    }

    @Test("left behind by a dead process is replaced")
    func stale() throws {
        let folder = try TemporaryDirectory()
        try folder.write("1\n", to: "pool.pid")
        #expect(try PidFile.holder(path: folder.path(of: "pool.pid")) == nil)
        let file = try PidFile(creating: folder.path(of: "pool.pid"))
        #expect(try PidFile.holder(path: file.path) == Processes.current)
    }

    @Test("of somebody else is not removed")
    func foreign() throws {
        let folder = try TemporaryDirectory()
        let file = try PidFile(creating: folder.path(of: "pool.pid"))
        try folder.write("7\n", to: "pool.pid")
        try file.remove()
        #expect(try folder.read("pool.pid") == Array("7\n".utf8))
    }
}
