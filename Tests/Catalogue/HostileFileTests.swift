import Catalogue
import Support
import System
import Testing

/// Files that are not what their names promise. No test here may wait, and none may read more than it must.
@Suite("Hostile image files")
struct HostileFileTests {
    /// Checks the good catalogue in a folder in which `change` has replaced the image.
    private static func findings(_ change: (_ path: String, _ folder: TemporaryDirectory) throws -> Void)
        throws -> [String]
    {
        let folder = try GoodCatalogue.folder()
        let path = folder.path(of: "images/hero.png")
        try Directory.rename(path, to: folder.path(of: "kept.png"))
        try change(path, folder)
        let checked = GoodCatalogue.check(GoodCatalogue.text, in: folder, decodesAll: true)
        for finding in checked.findings { #expect(finding.line == 8 && finding.column == 23) }
        return checked.findings.map(\.code)
    }

    @Test("a FIFO is refused at once")
    func fifo() throws {
        let codes = try Self.findings { path, _ in _ = try ProgramRun.run("mkfifo", [path]) }
        #expect(codes == ["catalogue.image-file"])
    }

    @Test("a file of 4 GiB is refused before it is read")
    func long() throws {
        let codes = try Self.findings { path, _ in
            var file = try AtomicFileWriter(path: path)
            try file.write([0].span, at: (4 << 30) - 1)
            try file.commit()
        }
        #expect(codes == ["catalogue.image-file"])
    }

    @Test("an empty file is not a PNG, and a folder in its place is refused")
    func emptyFile() throws {
        #expect(
            try Self.findings { path, _ in _ = try FileDescriptor.create(path: path, permissions: 0o600) }
                == ["catalogue.bad-image"]
        )
        let folder = try Self.findings { _, folder in try folder.makeDirectory("images/hero.png") }
        #expect(folder == ["catalogue.image-file"])
    }
}
