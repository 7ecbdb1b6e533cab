/// Writes an HTML document. Names of elements and attributes are part of the program. Every string is escaped, so that text
/// from a file or a server is never markup.
///
///     var page = HTMLWriter()
///     page.element("a", ["href": "#m.reminder"]) { $0.text(name) }
struct HTMLWriter {
    /// The document so far, in UTF-8.
    private(set) var bytes: [UInt8] = []

    /// Adds markup that is part of the program.
    mutating func markup(_ text: StaticString) {
        bytes += text.description.utf8
    }

    /// Adds the beginning of an element.
    mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:]) {
        bytes.append(UInt8(ascii: "<"))
        markup(name)
        for (name, value) in attributes {
            bytes.append(UInt8(ascii: " "))
            markup(name)
            bytes += "=\"".utf8
            HTMLEscape.appendAttribute(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    /// Adds the end of an element. Elements that stand in no line of text get a line of their own.
    mutating func close(_ name: StaticString, endsLine: Bool = false) {
        bytes += "</".utf8
        markup(name)
        bytes.append(UInt8(ascii: ">"))
        if endsLine { bytes.append(UInt8(ascii: "\n")) }
    }

    /// Adds an element in a line of text.
    mutating func element(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: (inout HTMLWriter) -> Void = { _ in }
    ) {
        open(name, attributes)
        content(&self)
        close(name)
    }

    /// Adds an element whose end is also the end of a line in the document.
    mutating func block(
        _ name: StaticString,
        _ attributes: KeyValuePairs<StaticString, String> = [:],
        _ content: (inout HTMLWriter) -> Void = { _ in }
    ) {
        open(name, attributes)
        content(&self)
        close(name, endsLine: true)
    }

    /// Adds text. A character that a browser would act on, or show nothing for, becomes a mark with its number.
    mutating func text(_ text: String) {
        HTMLEscape.appendText(text, keepsLines: false, to: &bytes)
    }

    /// Adds a text of a message. A line break stays one, with its mark.
    mutating func prose(_ text: String) {
        HTMLEscape.appendText(text, keepsLines: true, to: &bytes)
    }

    /// Adds text where HTML takes no elements, such as in a title.
    mutating func plainText(_ text: String) {
        HTMLEscape.appendAttribute(text, to: &bytes)
    }

    /// Adds a name from outside. The direction of its characters does not change that of the text around it.
    mutating func name(_ name: String) {
        element("bdi") { $0.text(name) }
    }

    /// Adds bytes that need no escape, such as base64 in a style sheet.
    mutating func plain(_ bytes: [UInt8]) {
        self.bytes += bytes
    }
}
