internal import Vocabulary

extension HTMLWriter {
    /// Adds an element that a reader opens and closes.
    mutating func disclosure(
        isOpen: Bool = false, summary: (inout HTMLWriter) -> Void, content: (inout HTMLWriter) -> Void
    ) {
        if isOpen { markup("<details open>") } else { markup("<details>") }
        block("summary", [:], summary)
        content(&self)
        close("details", endsLine: true)
    }

    /// Adds a name that leads to a place on the page.
    mutating func link(_ name: String, _ anchor: String?) {
        guard let anchor else { return self.name(name) }
        element("a", ["href": "#\(anchor)"]) { $0.name(name) }
    }

    /// Adds the time since which something is known.
    mutating func since(_ time: Int64?) {
        guard let time else { return }
        element("span", ["class": "soft small"]) { $0.text("since \(Words.time(time))") }
    }

    /// Adds names with commas between them.
    mutating func names(_ names: [String], limit: Int = .max) {
        for (place, name) in names.prefix(limit).enumerated() {
            if place > 0 { text(", ") }
            self.name(name)
        }
        if names.count > limit { text(" and \(names.count - limit) more") }
    }

    /// Adds a name and a value of a list of properties.
    mutating func property(_ name: StaticString, _ value: (inout HTMLWriter) -> Void) {
        open("dt")
        markup(name)
        close("dt")
        block("dd", [:], value)
    }

    /// Adds an image that the style sheet has, with its text for people who do not see it. Without an image, the text stands
    /// in its place.
    mutating func picture(_ name: StaticString, _ kind: String, _ picture: PageIndex.Picture?, alt: String) {
        guard let number = picture?.number else {
            element(name, ["class": "u"]) { $0.text(alt) }
            return
        }
        element(name, ["class": "\(kind) i\(number)", "role": "img", "aria-label": alt])
    }
}
