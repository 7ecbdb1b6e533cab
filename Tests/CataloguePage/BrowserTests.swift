@testable import Catalogue
@testable import CataloguePage
import JSON
import Support
import Synchronization
import Testing

/// A page in a real browser, on a phone and on a desk, light and dark.
@Suite("The page in a browser", .serialized, .timeLimit(.minutes(10)))
struct BrowserTests {
    private let folder: TemporaryDirectory
    private static let views = [(390, false), (390, true), (1280, false), (1280, true)]

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Writes a page to a file with an unfriendly name.
    private func file(_ bytes: [UInt8]) throws -> String {
        try folder.write(bytes, to: "a page.html")
        return folder.path(of: "a page.html").replacing(" ", with: "%20")
    }

    /// Expects that the browser asked for nothing but the page and the images in it, and that it had nothing to say.
    private static func checkSilence(_ browser: Browser, _ path: String) throws {
        for event in browser.events {
            switch event.method {
            case "Network.requestWillBeSent":
                let url = event.parameters?.member("request")?.member("url")?.string ?? ""
                #expect(
                    url == "file://\(path)" || url.hasPrefix("data:image/png;base64,"), "\(url.prefix(200))")
            case "Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                "Page.javascriptDialogOpening":
                let words = event.parameters?.member("entry")?.member("text")?.string
                Issue.record("\(event.method): \(words ?? "")")
            default: break
            }
        }
        let pwned = try browser.evaluate("typeof window.pwned").root.string
        #expect(pwned == "undefined")
    }

    private static func check(_ audit: PageAudit, _ comment: Comment) {
        #expect(audit.overflow <= 0, comment)
        #expect(audit.wide == [], comment)
        #expect(audit.faint == [], comment)
        #expect(audit.active == [], comment)
        #expect(audit.textCount > 100, comment)
        #expect(audit.images.filter { !isKind($0) } == [], comment)
    }

    /// True for the classes of an image, which have nothing behind them when nothing is wrong.
    private static func isKind(_ image: String) -> Bool {
        image.wholeMatch(of: /(image|icon)( square)? i[0-9]+/) != nil
    }

    @Test("has everything inside the window, readable, and loads nothing")
    func everything() throws {
        let sample = PageSample.everything()
        let path = try file(sample.page().bytes)
        let browser = try Browser()
        for (width, isDark) in Self.views {
            try browser.open(path, width: width, isDark: isDark)
            let audit = try PageAudit(browser)
            Self.check(audit, "\(width) \(isDark)")
            // Two texts with the image, one of them with two bullet points, and the two images by themselves.
            #expect(audit.images.count == 6, "\(width) \(isDark)")
            try Self.checkSilence(browser, path)
        }
    }

    @Test("shows hostile texts as texts")
    func hostile() throws {
        let sample = PageSample.hostile()
        let path = try file(sample.page().bytes)
        let browser = try Browser()
        for (width, isDark) in Self.views {
            try browser.open(path, width: width, isDark: isDark)
            Self.check(try PageAudit(browser), "\(width) \(isDark)")
            try Self.checkSilence(browser, path)
        }
        let expected = PageSample.hostileTexts.map(PageSample.shown)
        for (selector, count) in [(".sheet .head", 2), (".sheet .body", 2), (".m h3 bdi", 1)] {
            let shown = try browser.evaluate(
                "[...document.querySelectorAll('\(selector)')].map(element => element.textContent)"
            ).root.elements.compactMap(\.string)
            let wanted = expected.flatMap { Array(repeating: $0, count: count) }
            let plain = selector == ".m h3 bdi" ? wanted.map { $0.replacing("\n", with: "") } : wanted
            #expect(shown == plain, "\(selector)")
        }
        let title = try browser.evaluate("document.title").root.string
        #expect(title == "</style><script>window.pwned=1</script><style> in Sandbox")
    }

    @Test("shows what the choices say, without a script")
    func choices() throws {
        let sample = PageSample.everything()
        let path = try file(sample.page().bytes)
        let browser = try Browser()
        try browser.open(path, width: 390, isDark: false)
        func seen(_ locale: String, _ state: String) throws -> [String] {
            try browser.evaluate(
                """
                (document.querySelector('#locale').value = '\(locale)',
                 document.querySelector('#state').value = '\(state)',
                 [...document.querySelectorAll('.m,.t')].filter(element => element.checkVisibility())
                   .map(element => element.id || element.querySelector('h4').textContent))
                """
            ).root.elements.compactMap(\.string)
        }
        #expect(try seen("", "").count == 5 + 10)
        let arabic = try seen("2", "")
        #expect(arabic.count == 5 + 5 && arabic.filter { $0 == "ar-SA" }.count == 4)
        #expect(arabic.contains("t.reminder.ar-SA"))
        #expect(try seen("", "rejected") == ["m.go_annual", "t.go_annual.en-US"])
        #expect(try seen("1", "pending") == ["m.thanks", "t.thanks.en-US"])
        #expect(try seen("2", "pending") == [])
        #expect(try seen("", "").count == 5 + 10)
        let look = """
            (document.querySelector('#look').value = 'LOOK',
             [...document.querySelectorAll('#top,main,#end')].map(part => getComputedStyle(part).backgroundColor))
            """
        func backgrounds(_ name: String) throws -> [String] {
            try browser.evaluate(look.replacing("LOOK", with: name)).root.elements.compactMap(\.string)
        }
        let light = try backgrounds("")
        let dark = try backgrounds("dark")
        #expect(Set(light).count == 1 && Set(dark) == ["rgb(0, 0, 0)"] && light != dark)
        Self.check(try PageAudit(browser), "dark on a device that prefers light")
        try browser.resize(width: 390, isDark: true)
        #expect(try backgrounds("") == dark && backgrounds("light") == light)
        Self.check(try PageAudit(browser), "light on a device that prefers dark")
        try Self.checkSilence(browser, path)
    }

    @Test("stays silent even when its markup is broken open")
    func policy() throws {
        let requests = RequestCounter()
        let server = try LoopbackServer { _ in requests.refuse() }
        defer { server.stop() }
        let escape = """
            <script>window.pwned=1</script><img src="\(server.url("/image"))" onerror="window.pwned=1">
            <link rel="stylesheet" href="\(server.url("/style"))"><iframe src="\(server.url("/frame"))"></iframe>
            <style>main{display:none}</style><p style="background:url(\(server.url("/background")))">text</p>
            </main>
            """
        let text = try PageSample.everything().text().replacing("</main>", with: escape)
        let browser = try Browser()
        try browser.open(try file(Array(text.utf8)), width: 390, isDark: false)
        #expect(try browser.evaluate("typeof window.pwned").root.string == "undefined")
        #expect(
            try browser.evaluate("getComputedStyle(document.querySelector('main')).display").root.string
                == "block"
        )
        // A browser may open a connection for a frame before it knows that it must not ask for it.
        #expect(requests.count == 0)
        // The browser says what it refused, so the check above is not silent for another reason.
        let refusals = browser.events.filter { event in
            event.parameters?.member("entry")?.member("text")?.string?.contains("Content Security Policy")
                == true
        }
        #expect(refusals.count >= 4)
    }

    @Test("is checked by tests that find what is wrong")
    func audit() throws {
        let requests = RequestCounter()
        let server = try LoopbackServer { _ in requests.refuse() }
        defer { server.stop() }
        let bad = """
            <!doctype html><img src="\(server.url("/image"))"><meta name=viewport content="width=device-width"><body style="background:#fff">
            <p style="color:#999">faint</p><div style="width:2000px">wide</div><script>window.pwned=1</script>
            <a href="https://example.com" onclick="x()">link</a><div class="image" aria-label="a">x</div>
            """
        let browser = try Browser()
        try browser.open(try file(Array(bad.utf8)), width: 390, isDark: false)
        let audit = try PageAudit(browser)
        #expect(requests.count > 0 && audit.active.contains("img"))
        #expect(audit.overflow > 0 && audit.wide == ["div.: wide"])
        #expect(audit.faint == ["2.85 p.: faint"])
        #expect(audit.active.contains("script") && audit.active.contains("a onclick=x()"))
        #expect(audit.active.contains("a href=https://example.com"))
        #expect(audit.images.allSatisfy { !Self.isKind($0) } && audit.images.count == 1)
        #expect(try browser.evaluate("typeof window.pwned").root.string == "number")
    }
}

/// Counts the requests that a server receives.
private final class RequestCounter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    /// Counts a request, and answers nothing.
    func refuse() -> LoopbackServer.Reply {
        number.withLock { $0 += 1 }
        return .close
    }
}
