import AppStoreServerAPI
@testable import Catalogue
import Support
import System
import Testing

@Suite("The page of a catalogue")
struct CataloguePageTests {
    @Test("has the bytes that it had, the same for equal values")
    func golden() throws {
        let text = try PageSample.everything().text()
        #expect(try text == PageSample.everything().text())
        try GoldenFile.check(text, "Tests/CataloguePage/Golden/page.html")
    }

    @Test("has no markup from hostile texts, nothing that runs or loads, and links only into itself")
    func hostile() throws {
        let text = try PageSample.hostile().text()
        let own = Set(try PageSample.everything().text().matches(of: /<[^>]*?[ >]/).map { String($0.output) })
        for match in text.matches(of: /<[^>]*?[ >]/) {
            #expect(own.contains(String(match.output)), "\(match.output)")
        }
        for tag in text.matches(of: /<[a-z][^>]*>/) {
            for match in tag.output.matches(of: #/\s([a-z-]+)="([^"]*)"/#) {
                let (name, value) = (match.output.1, match.output.2)
                #expect(!name.hasPrefix("on") && !["src", "style", "action"].contains(name), "\(name)")
                if name == "href" { #expect(value.wholeMatch(of: /#[-0-9a-f]+/) != nil, "\(value)") }
            }
        }
    }

    @Test("has each image once, however often it is used, and a smaller copy of a large one")
    func images() throws {
        var sample = PageSample.everything()
        sample.catalogue.images.append(PageSample.image("again", .fullSize, file: "images/hero.png"))
        #expect(try sample.text().ranges(of: "base64,").count == 2)
        sample.files["images/hero.png"] = PageSample.png(3840, 161, grey: 200)
        let text = try sample.text()
        #expect(text.contains("aspect-ratio:3840/161;") && text.utf8.count < 40 << 10)
    }

    @Test("needs images that are what they were when the catalogue was read")
    func changedImages() throws {
        let sample = PageSample.everything()
        let error = #expect(throws: ToolError.self) { try PageImages(sample.resolved) { _ in [1] } }
        #expect(error?.description == "images/hero.png has changed since the catalogue was read")
    }

    @Test("is whole for a catalogue with nothing in it")
    func empty() throws {
        var sample = PageSample()
        (sample.catalogue.products, sample.catalogue.locales) = ([], [])
        let text = try sample.text()
        #expect(text.contains("The catalogue is empty.") && text.contains("At Apple none is set."))
        #expect(text.hasSuffix("</html>\n"))
    }
}
