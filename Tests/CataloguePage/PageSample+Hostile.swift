import AppStoreServerAPI
@testable import Catalogue
import Facts
import Rules
import System

extension PageSample {
    /// Texts that try to be more than text, or that are hard to show.
    static let hostileTexts = [
        "<script>window.pwned=1</script>",
        "\"><script>window.pwned=1</script>",
        "' onmouseover='window.pwned=1' x='",
        "\" onload=\"window.pwned=1\" autofocus onfocus=\"window.pwned=1",
        "</style><script>window.pwned=1</script><style>",
        "</title></head><body onload=window.pwned=1>",
        "<img src=x onerror=window.pwned=1>",
        "<svg onload=window.pwned=1><a href=javascript:window.pwned=1>",
        "<iframe src=//example.com></iframe><link rel=stylesheet href=//example.com/x.css>",
        "<!-- --!> ]]> <![CDATA[ &lt;b&gt; &#60; &amp;amp;",
        "}*{background:url(//example.com/x)}",
        "javascript:window.pwned=1",
        "\u{202E}gnp.exe\u{2066}\u{200F}\u{2069}\u{202A}",
        "z\u{200B}e\u{2060}r\u{FEFF}o\u{AD}\u{3164}",
        "nul\u{0}bell\u{7}escape\u{1B}[2J\u{9B}\u{FFFF}",
        "one\r\ntwo\u{2028}three",
        String(repeating: "Donaudampfschifffahrtsgesellschaft", count: 60),
        String(repeating: "W", count: 1500),
        "a" + String(repeating: "\u{301}", count: 200),
        String(repeating: "م", count: 700),
        "   \u{3000}  ",
        "ﷺ﷽𒐫",
    ]

    /// A page on which every text from outside is hostile.
    static func hostile() -> PageSample {
        var sample = PageSample()
        let texts = hostileTexts
        sample.catalogue.bundleId = texts[4]
        sample.catalogue.locales = ["en-US", texts[1], texts[5]]
        sample.catalogue.products = texts.map { .init(name: $0, group: $0) }
        sample.catalogue.images =
            texts.map { image($0, .fullSize, file: "images/\($0)") } + [image("icon", .bulletPoint)]
        for (number, image) in sample.catalogue.images.enumerated() {
            sample.files[image.file] = png(40, 20, grey: UInt8(number))
        }
        sample.files["images/icon.png"] = png(8, 8, grey: 99)
        sample.catalogue.messages = texts.enumerated().map { number, text in
            var first = self.text("en-US", text, text)
            (first.image, first.imageAltText) = (text, text)
            first.bulletPoints = (0..<5).map { _ in .init(text: text, image: "icon", altText: text) }
            var message = message(text, .text, [first, self.text(texts[1], text, text)])
            message.product = text
            message.headerPosition = number % 2 == 0 ? .aboveImage : nil
            return message
        }
        sample.catalogue.realtimeURLs = [.sandbox: texts[0]]
        sample.realtimeURL = texts[1]
        sample.server = texts[5]
        sample.rules = Dictionary(uniqueKeysWithValues: texts.map { ($0, [$0]) })
        sample.rulesFile = texts[2]
        let states: [ReviewState] = [.approved, .pending, .rejected, .other(texts[1])]
        for (number, text) in texts.enumerated() {
            sample.list(.init(.image, sample.identifier(image: text)), states[number % 4])
            sample.list(.init(.message, sample.identifier(text, "en-US")), states[number / 4 % 4])
            sample.defaults.append((text, "en-US", text))
            sample.set(text, "en-US", number % 3 == 0 ? nil : sample.identifier(text, "en-US"))
            let orphan = CatalogueItem(.message, UUID(high: 9, low: UInt64(number)))
            sample.list(orphan, states[number % 4])
            sample.state.add(.uploadStarted(orphan, name: text), at: time)
        }
        return sample
    }
}
