import Catalogue
import Support
import System
import Testing

@Suite("The example of a catalogue")
struct ExampleCatalogueTests {
    private static let folder = SourceFile.root + "/examples/catalogue"

    private static func findings(images: String) throws -> [String] {
        let text = try SourceFile.read(folder + "/catalogue.json")
        return CheckedCatalogue(text, images: ImageFiles(folder: images, decodesAll: true)).findings.map(
            \.text
        )
    }

    @Test("has nothing that lint finds")
    func lint() throws {
        #expect(try Self.findings(images: Self.folder) == [])
    }

    @Test("has a script that makes images as Apple takes them")
    func script() throws {
        let folder = try TemporaryDirectory()
        let run = try ProgramRun.run(Self.folder + "/make-images", [folder.path(of: "images")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(try Self.findings(images: folder.path) == [])
        for name in ["hero.png", "tick.png"] {
            #expect(try SourceFile.read("\(Self.folder)/images/\(name)").count < 64 << 10)
            #expect(try folder.read("images/\(name)").count < 64 << 10)
        }
    }
}
