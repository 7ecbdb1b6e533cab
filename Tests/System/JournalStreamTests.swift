import Support
import System
import Testing

@Suite("The journal's stream")
struct JournalStreamTests {
    @Test("is recognized by the numbers of the descriptor's file, and by nothing else")
    func numbers() throws {
        let pipe = try FileDescriptor.pipe()
        let status = try FileStatus(of: pipe.writing)
        let (device, inode) = (status.device, status.inode)
        let rows: [(stream: String?, isJournal: Bool)] = [
            ("\(device):\(inode)", true), (nil, false), ("", false), (":", false), ("\(device)", false),
            ("\(device):", false), ("\(device):\(inode):", false), ("\(device + 1):\(inode)", false),
            ("\(device):\(inode + 1)", false), ("\(inode):\(device)", false),
            ("\(device):-\(inode)", false), (" \(device):\(inode)", false),
            ("\(device):99999999999999999999999", false),
        ]
        for row in rows {
            let found = JournalStream.reads(descriptor: pipe.writing.number, stream: row.stream)
            #expect(found == row.isJournal, "\(row.stream ?? "nil")")
        }
        let other = try FileDescriptor.pipe()
        #expect(!JournalStream.reads(descriptor: other.writing.number, stream: "\(device):\(inode)"))
        #expect(!JournalStream.reads(descriptor: 1_000_000, stream: "\(device):\(inode)"))
    }
}
