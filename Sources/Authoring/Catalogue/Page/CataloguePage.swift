internal import Cryptography
internal import System

/// A page for people, in one HTML file: the messages of a catalogue as Apple's sheet shows them, with their states, the answers
/// that subscribers get, and who uses what.
///
/// Pure: equal values give equal bytes. The page has no script, loads nothing and names no other page.
package struct CataloguePage: Sendable {
    let catalogue: Catalogue
    let resolved: ResolvedCatalogue
    let status: CatalogueStatus
    let coverage: CatalogueCoverage
    let uses: CatalogueUses
    let images: PageImages
    /// The time of Apple's lists, milliseconds since 1970.
    package var time: Int64 = 0
    /// The address of a server other than Apple's.
    package var server: String?
    /// The URL that Apple asks; nil when none is set.
    package var realtimeURL: String?

    package init(
        _ catalogue: Catalogue, resolved: ResolvedCatalogue, status: CatalogueStatus,
        coverage: CatalogueCoverage, uses: CatalogueUses, images: PageImages
    ) {
        self.catalogue = catalogue
        self.resolved = resolved
        self.status = status
        self.coverage = coverage
        self.uses = uses
        self.images = images
    }

    package var bytes: [UInt8] {
        let index = PageIndex(self)
        let html: HTML = """
            \(head)<body>\(index.summary)<main>\(index.review)\(index.coverage)\(index.messages)\(index.images)\(index.orphans)</main>
            <footer id="end" class="small">Made by retentionctl. The file has no scripts and loads nothing from elsewhere.</footer>
            </body>
            </html>

            """
        return html.bytes
    }

    /// The policy lets a browser use the two style sheets of the page and images in `data:` URLs, and nothing else: no script, no
    /// form, no request.
    private var head: HTML {
        let sheets = [Array(PageStyle.text.utf8), PageStyle.made(self)]
        // The source expression of a style sheet: CSP level 3, section 2.3.1.
        let sources = sheets.map { sheet in
            let digest = Base64.encode(SHA256.hash(sheet.span).bytes.span)
            return "'sha256-\(String(decoding: digest, as: UTF8.self))'"
        }.joined(separator: " ")
        let policy =
            "default-src 'none'; img-src data:; style-src \(sources); base-uri 'none'; form-action 'none'"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(attribute: policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex">
            <meta name="format-detection" content="telephone=no">
            <title>\(attribute: "\(resolved.bundleId) in \(resolved.environment.rawValue)")</title>
            <style>\(unescaped: sheets[0])</style>
            <style>\(unescaped: sheets[1])</style>
            </head>

            """
    }
}
