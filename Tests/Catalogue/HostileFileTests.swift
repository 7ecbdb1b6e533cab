import Catalogue
import Glibc
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

    private static func link(_ target: String, _ path: String) {
        #expect(unsafe symlink(target, path) == 0)
    }

    @Test("a FIFO is refused at once")
    func fifo() throws {
        let codes = try Self.findings { path, _ in _ = try ProgramRun.run("mkfifo", [path]) }
        #expect(codes == ["catalogue.image-file"])
    }

    @Test("a link to a good image is followed, whatever folder it is in; what is uploaded is always a PNG")
    func links() throws {
        #expect(try Self.findings { path, folder in Self.link(folder.path(of: "kept.png"), path) } == [])
        #expect(try Self.findings { path, _ in Self.link("../kept.png", path) } == [])
        #expect(try Self.findings { path, _ in Self.link("/etc/passwd", path) } == ["catalogue.bad-image"])
    }

    @Test(
        "a link to nothing, to itself, to a folder or to a device is refused",
        arguments: [
            "nowhere", "hero.png", ".", "/dev/zero", "/dev/full",
        ]
    )
    func badLinks(target: String) throws {
        #expect(try Self.findings { path, _ in Self.link(target, path) } == ["catalogue.image-file"])
    }

    @Test("a socket is refused")
    func socket() throws {
        let codes = try Self.findings { path, _ in #expect(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0) }
        #expect(codes == ["catalogue.image-file"])
    }

    @Test("a file of 4 GiB is refused before it is read")
    func long() throws {
        let codes = try Self.findings { path, _ in
            try FileDescriptor.create(path: path, permissions: 0o600).truncate(toByteCount: 4 << 30)
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
