internal import System

/// HTML in which no text from outside is markup: an interpolated string is escaped, and only an interpolated `HTML` is not.
package struct HTML: ExpressibleByStringInterpolation {
    package private(set) var bytes: [UInt8]

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount _: Int) {
            bytes.reserveCapacity(literalCapacity)
        }

        package mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

        /// Text, also in the value of an attribute between double quotes.
        package mutating func appendInterpolation(_ text: String) {
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "&"): bytes += "&amp;".utf8
                case UInt8(ascii: "<"): bytes += "&lt;".utf8
                case UInt8(ascii: ">"): bytes += "&gt;".utf8
                case UInt8(ascii: "\""): bytes += "&quot;".utf8
                case UInt8(ascii: "'"): bytes += "&#39;".utf8
                default: bytes.append(byte)
                }
            }
        }

        package mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }

        package mutating func appendInterpolation(_ list: [HTML]) { for html in list { bytes += html.bytes } }

        /// What is part of the program, such as a style sheet.
        package mutating func appendInterpolation(unescaped bytes: [UInt8]) { self.bytes += bytes }
    }

    package init(stringLiteral literal: String) { bytes = Array(literal.utf8) }
    package init(stringInterpolation interpolation: StringInterpolation) { bytes = interpolation.bytes }

    /// A table that scrolls on a narrow screen. `label` is for people who do not see it.
    package static func table(_ label: String, head: [HTML] = [], _ rows: [HTML]) -> HTML {
        let names: [HTML] = head.map { "<th scope=\"col\">\($0)</th>" }
        let top: HTML = head.isEmpty ? "" : "\n<thead><tr>\(names)</tr></thead>\n"
        return """
            <div class="scroll" role="region" aria-label="\(label)" tabindex="0"><table>\(top)\
            <tbody>\(rows)</tbody></table></div>

            """
    }

    package static func row(_ name: HTML, _ cells: [String]) -> HTML {
        let cells: [HTML] = cells.map { "<td>\($0)</td>" }
        return "<tr><th scope=\"row\">\(name)</th>\(cells)</tr>\n"
    }

    /// `2026-11-21 10:00 UTC`
    package static func time(_ milliseconds: Int64) -> String {
        CivilTime(milliseconds: milliseconds).description.dropLast(4).replacing("T", with: " ") + " UTC"
    }

    /// A whole page of ours. It has no script and loads nothing. `style` is added to the style sheet that all pages have.
    package static func page(title: String, style: [UInt8] = [], _ body: HTML) -> HTML {
        let policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>\(unescaped: Array(PageStyle.text.utf8) + style)</style>
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
    }
}
