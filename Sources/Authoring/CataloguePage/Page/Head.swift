internal import Catalogue
internal import Cryptography
internal import Vocabulary

extension HTMLWriter {
    /// Adds everything before the body. The policy lets a browser use the two style sheets of the page and images in `data:`
    /// URLs, and nothing else: no script, no form, no request.
    mutating func head(_ page: CataloguePage) {
        let made = PageStyle.made(page)
        let style = Array(PageStyle.text.utf8)
        markup("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        let policy =
            "default-src 'none'; img-src data:; style-src \(Self.source(style)) \(Self.source(made)); "
            + "base-uri 'none'; form-action 'none'"
        open("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
        markup(
            """

            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex">
            <meta name="format-detection" content="telephone=no">

            """
        )
        block("title") { $0.plainText("\(page.resolved.bundleId) in \(page.resolved.environment.rawValue)") }
        for sheet in [style, made] {
            open("style")
            plain(sheet)
            close("style", endsLine: true)
        }
        close("head", endsLine: true)
    }

    /// The source expression of a style sheet in a policy (CSP level 3, section 2.3.1).
    private static func source(_ style: [UInt8]) -> String {
        let digest = SHA256.hash(style.span).bytes
        return "'sha256-\(String(decoding: Base64.encode(digest.span), as: UTF8.self))'"
    }
}
