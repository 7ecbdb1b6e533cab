@testable import Pool
import Support
import System
import Testing

@Suite("The chains in the state directory")
struct ChainDirectoryTests {
    @Test("are the eight that workers reported last, each once")
    func latest() throws {
        let folder = try TemporaryDirectory()
        let chains = ChainDirectory(stateDirectory: folder.path)
        for value in UInt8(1)...8 {
            #expect(try chains.add([value]))
            Patience.pause(milliseconds: 10)  // the kernel's clock for files turns in steps
        }
        #expect(try !chains.add([1]), "the chain is known, and now the latest")
        Patience.pause(milliseconds: 10)
        #expect(try chains.add([9]))
        #expect(chains.chains().sorted { $0[0] < $1[0] } == [[1], [3], [4], [5], [6], [7], [8], [9]])
        #expect(try !chains.add([]) && !chains.add([UInt8](repeating: 1, count: 16_385)))
    }

    @Test("are left out when a power cut has torn them, and stored anew when a worker reports them")
    func torn() throws {
        let folder = try TemporaryDirectory()
        let chains = ChainDirectory(stateDirectory: folder.path)
        #expect(chains.chains().isEmpty)
        #expect(try chains.add([1, 2, 3]))
        let directory = try FileDescriptor.openDirectory(path: folder.path(of: "chains"))
        let name = try #require(try Directory.names(in: directory, limitCount: 10).first)
        try folder.write([1], to: "chains/\(name)")
        #expect(chains.chains().isEmpty)
        #expect(try chains.add([1, 2, 3]) && chains.chains() == [[1, 2, 3]])
    }
}
