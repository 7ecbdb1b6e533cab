import AppStoreServerAPI
@testable import Catalogue
import Cryptography
import Facts
import Rules
import Support
import System
import Testing

@Suite("The page of a catalogue")
struct CataloguePageTests {
    @Test("has the bytes that it had")
    func golden() throws {
        try GoldenFile.check(try PageSample.everything().text(), "Tests/CataloguePage/Golden/page.html")
    }

    @Test("is the same for equal values")
    func determinism() throws {
        let sample = PageSample.everything()
        #expect(try sample.page().bytes == PageSample.everything().page().bytes)
    }

    @Test("allows its two style sheets by their digests, images in data: URLs, and nothing else")
    func policy() throws {
        let text = try PageSample.everything().text()
        let policy = try #require(text.components(between: "Security-Policy\" content=\"", and: "\">").first)
            .replacing("&#39;", with: "'")
        let sheets = text.components(between: "<style>", and: "</style>")
        #expect(sheets.count == 2)
        let sources = sheets.map { sheet in
            let digest = SHA256.hash(Array(sheet.utf8).span).bytes
            return "'sha256-\(String(decoding: Base64.encode(digest.span), as: UTF8.self))'"
        }
        let expected =
            "default-src 'none'; img-src data:; style-src \(sources.joined(separator: " ")); base-uri 'none'; "
            + "form-action 'none'"
        #expect(policy == expected)
        // Nothing that could be loaded stands before the policy.
        let start = try #require(text.components(between: "<head>", and: "<meta http-equiv").first)
        #expect(start == "\n<meta charset=\"utf-8\">\n")
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
                if name == "href" { #expect(value.wholeMatch(of: /#[-~.\w]+/) != nil, "\(value)") }
            }
        }
    }

    @Test("has each image once, however often it is used")
    func images() throws {
        var sample = PageSample.everything()
        sample.catalogue.images.append(PageSample.image("again", .fullSize, file: "images/hero.png"))
        let text = try sample.text()
        #expect(text.components(between: "base64,", and: ")").count == 2)
        // The image of two texts and two images with one file; the image of two bullet points and one image.
        #expect(text.components(between: "class=\"image i1\"", and: ">").count == 4)
        #expect(text.components(between: "class=\"icon i2\"", and: ">").count == 2)
        #expect(text.contains("<div class=\"image square i2\""))
    }

    @Test("shows the alternative text where it has no image")
    func withoutImages() throws {
        let sample = PageSample.everything()
        var page = try sample.page()
        page = CataloguePage(
            sample.catalogue, resolved: sample.resolved, status: page.status, coverage: page.coverage,
            uses: page.uses, images: PageImages())
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.contains("<div class=\"u\">Green hills</div>") && !text.contains("base64"))
    }

    @Test("names a second time of a state only if readers see another one", arguments: [59_999, 60_000])
    func reviewTimes(milliseconds: Int64) throws {
        var sample = PageSample()
        let texts = sample.catalogue.locales.map { PageSample.text($0, "H", "B") }
        sample.catalogue.messages = [PageSample.message("m", .text, texts)]
        for (locale, delay) in zip(sample.catalogue.locales, [0, milliseconds]) {
            let item = CatalogueItem(.message, sample.identifier("m", locale))
            sample.state.list(item, .pending, at: PageSample.time + delay)
        }
        let text = try sample.text()
        #expect(text.contains("since 2026-11-22 10:00 UTC"))
        #expect(text.contains(", the newest since 2026-11-22 10:01 UTC") == (milliseconds == 60_000))
        #expect(text.contains(", the newest since") == (milliseconds == 60_000))
    }

    @Test("has the header above or below the image")
    func headerPosition() throws {
        let text = try PageSample.everything().text()
        let sheets = text.components(between: "<div class=\"sheet\"", and: "<div class=\"keep\">")
        func order(_ sheet: String, _ first: String, _ second: String) throws -> Bool {
            try #require(sheet.firstRange(of: first)).lowerBound
                < #require(sheet.firstRange(of: second)).lowerBound
        }
        #expect(try order(sheets[0], "class=\"head\"", "class=\"image"))
        #expect(try order(sheets[0], "class=\"image", "class=\"body\""))
        #expect(try order(sheets[2], "class=\"image", "class=\"head\""))
        #expect(try order(sheets[2], "class=\"head\"", "class=\"body\""))
        #expect(sheets[1].hasPrefix(" lang=\"ar-SA\" dir=\"rtl\">"))
        #expect(sheets[0].hasPrefix(" lang=\"en-US\" dir=\"ltr\">"))
    }

    @Test("says where its states come from, and what is known of the URL")
    func sources() throws {
        var sample = PageSample.everything()
        sample.server = nil
        sample.realtimeURL = nil
        let text = try sample.text()
        #expect(text.contains("States: Apple\u{2019}s lists of 2026-11-22 10:00 UTC.</p>"))
        #expect(text.contains("At Apple none is set."))
        sample.server = "http://[::1]:1"
        sample.realtimeURL = "https://b"
        let other = try sample.text()
        #expect(other.contains(", from the server <bdi>http://[::1]:1</bdi>."))
        #expect(other.contains("Apple has another: <code><bdi>https://b</bdi></code>"))
    }

    @Test("is whole for a catalogue with nothing in it")
    func empty() throws {
        var sample = PageSample()
        (sample.catalogue.products, sample.catalogue.locales) = ([], [])
        let text = try sample.text()
        for words in ["The catalogue is empty.", "has no products.", "has no messages.", "has no images."] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(text.hasSuffix("</html>\n"))
    }

    @Test("has room for 2,000 texts, 500 images and 1,000 default messages")
    func large() throws {
        var sample = PageSample()
        sample.catalogue.locales = (0..<20).map { "l\($0)" }
        sample.catalogue.products = (0..<50).map { .init(name: "product_\($0)", group: nil) }
        sample.catalogue.images = (0..<500).map { PageSample.image("image_\($0)", .fullSize) }
        for (number, image) in sample.catalogue.images.enumerated() {
            sample.files[image.file] = PageSample.png(24, UInt32(1 + number / 250), grey: UInt8(number % 250))
        }
        sample.catalogue.messages = (0..<100).map { number in
            let texts = sample.catalogue.locales.map { locale in
                var text = PageSample.text(locale, "Header \(number)", "A body in \(locale)")
                (text.image, text.imageAltText) = ("image_\(number * 5)", "An image")
                return text
            }
            return PageSample.message("message_\(number)", .text, texts)
        }
        sample.defaults = sample.catalogue.products.flatMap { product in
            sample.catalogue.locales.map { (product.name, $0, "message_7") }
        }
        let text = try sample.text()
        #expect(text.ranges(of: "base64,").count == 500)
        #expect(text.ranges(of: "<div class=\"sheet\"").count == 2000)
        #expect(text.ranges(of: "<td class=\"cell").count == 1000)
        // About 1.5 KiB for a text.
        #expect(text.utf8.count < 4 << 20, "\(text.utf8.count) bytes")
    }

    @Test("says that all is approved, and begins with one locale where there are many texts")
    func long() throws {
        var sample = PageSample()
        sample.catalogue.messages = (0..<31).map { number in
            PageSample.message(
                "m\(number)",
                .text,
                ["en-US", "de-DE"].map { PageSample.text($0, "H\(number)", "B") }
            )
        }
        for message in sample.catalogue.messages {
            for text in message.texts {
                sample.list(.init(.message, sample.identifier(message.name, text.locale)), .approved)
            }
        }
        let text = try sample.text()
        #expect(text.contains("Apple has approved everything."))
        #expect(text.contains("<option value=\"1\" selected=\"\">en-US</option>"))
        #expect(
            text.contains("<summary>31 messages</summary>") && !text.contains("<details open><summary>31")
        )
    }
}

extension String {
    /// Returns the texts that stand between two texts.
    func components(between start: String, and end: String) -> [String] {
        ranges(of: start).compactMap { range in
            let rest = self[range.upperBound...]
            return rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]) }
        }
    }
}
