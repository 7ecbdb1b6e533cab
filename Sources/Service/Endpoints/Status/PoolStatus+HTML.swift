internal import DataFiles
public import JSON
internal import Telemetry
internal import Vocabulary

/// The HTML page for a person, on a phone or beside other windows: one document that has no script, loads nothing from
/// elsewhere, and uses the light or dark colours of the reader's system. It has every field that the JSON has.
extension PoolStatus {
    func html(isFull: Bool) -> String {
        var cards = [
            Self.card("requests", tiles, isWide: true), Self.card("response times", bars),
            Self.card("generation", Self.table(loaded)),
        ]
        for (kind, fields, rules) in files {
            let name = fields.first.map(StatusText.shown) ?? ""
            cards.append(Self.card("\(kind.name) \(name)", Self.table(Array(fields.dropFirst()))))
            if !rules.isEmpty {
                cards.append(Self.card("served and passed over, \(name)", Self.table(rules)))
            }
        }
        cards += [
            Self.card("process manager", Self.table(processManager)),
            Self.card("counters", Self.table(counted)),
        ]
        for process in isFull ? processes : [] {
            let number = process.first.map(StatusText.shown) ?? ""
            cards.append(Self.card("process \(number)", Self.table(process)))
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>retentiond</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            <h1>retentiond</h1>
            \(headline)
            </header>
            <main>
            \(cards.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    /// The first lines of the page: whether the pool serves, and whether the last reload was accepted.
    private var headline: String {
        let rulesCount = files.count { $0.kind == .rules }
        let serving =
            rulesCount == 0
            ? #"<p class="bad">No rules are loaded: every request is answered with 503.</p>"#
            : #"<p class="good">Serving \#(rulesCount) rules file\#(rulesCount == 1 ? "" : "s").</p>"#
        guard value("last reload") == "refused" else { return serving }
        let code = Self.escaped(value("last reload code"))
        return serving + "\n"
            + #"<p class="bad">The last reload was refused: \#(code). The old files go on.</p>"#
    }

    private func value(_ name: String) -> String {
        pool.first { $0.name == name }.map(StatusText.shown) ?? ""
    }

    /// The number of requests and of their four outcomes, in large type.
    private var tiles: String {
        let tiles = [
            ("requests", "in all"), ("answers_decided", "a message"), ("answers_none", "no message"),
            ("answers_refused", "refused"), ("answers_failed", "failed"),
        ].map { name, label in
            "<li><b>\(Self.escaped(Self.grouped(value(name))))</b> \(label)</li>"
        }
        return "<ul>\n" + tiles.joined(separator: "\n") + "\n</ul>"
    }

    /// A table with a row for each span of time: the number of requests that took that long, and a bar as long as their
    /// share.
    private var bars: String {
        let names = LatencyHistogram.edgesMicroseconds.map { "to \(Self.milliseconds($0)) ms" } + ["longer"]
        let all = max(durations.count, 1)
        let rows = zip(names, durations.counts).map { name, count in
            let bar = "<i style=\"width:\(count * 100 / all)%\"></i>"
            let number = Self.grouped(String(count))
            return "<tr><th scope=\"row\">\(name)</th><td class=\"bar\">\(bar)</td><td>\(number)</td></tr>\n"
        }.joined()
        return "<table>\n\(rows)</table>"
    }

    /// A table with a row for each rule: its id, how often it decided, and how often it was passed over.
    private static func table(_ rules: [RuleCount]) -> String {
        let rows = rules.map { rule in
            "<tr><th scope=\"row\">\(escaped(DisplayText.escaped(rule.rule)))</th>"
                + "<td>\(grouped(String(rule.served)))</td><td>\(grouped(String(rule.passedOver)))</td></tr>\n"
        }
        return "<table>\n\(rows.joined())</table>"
    }

    /// Returns milliseconds with a digit after the point where there is a fraction.
    static func milliseconds(_ microseconds: UInt64) -> String {
        let tenths = microseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func card(_ title: String, _ content: String, isWide: Bool = false) -> String {
        "<section\(isWide ? " class=\"wide\"" : "")>\n<h2>\(escaped(title))</h2>\n\(content)\n</section>"
    }

    private static func table(_ fields: [Field]) -> String {
        let rows = fields.map { field in
            "<tr><th scope=\"row\">\(escaped(field.name))</th><td>\(escaped(forPeople(field)))</td></tr>\n"
        }
        return "<table>\n\(rows.joined())</table>"
    }

    /// Returns the value with its unit, where it has one.
    private static func forPeople(_ field: Field) -> String {
        guard case .integer(let number) = field.value else { return StatusText.shown(field) }
        switch field.name {
        case "start since", "age": return span(seconds: number)
        case "request duration": return "\(grouped(String(number))) µs"
        // These numbers are names, so their digits are not grouped.
        case "appAppleId", "pid", "generation": return StatusText.shown(field)
        default:
            let text = StatusText.shown(field)
            return text == String(number) ? grouped(text) : text
        }
    }

    /// Returns a time in its two largest units: `3 d 4 h`, `12 min 5 s`.
    private static func span(seconds: Int64) -> String {
        let units = [("d", Int64(86_400)), ("h", 3600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let (name, length) = units[first]
        let whole = "\(seconds / length) \(name)"
        guard first + 1 < units.count else { return whole }
        let (smaller, smallerLength) = units[first + 1]
        return "\(whole) \(seconds % length / smallerLength) \(smaller)"
    }

    /// Returns the digits in groups of three with a narrow no-break space between them. Up to four digits stay as they
    /// are.
    private static func grouped(_ digits: String) -> String {
        guard digits.utf8.count > 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return digits
        }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { text += "\u{202F}" }
            text.append(digit)
        }
        return text
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    private static let style = """
        :root { --ink: #16191d; --muted: #5b6472; --line: #dcdfe4; --card: #fff; --page: #f3f4f6;
          --good: #146c43; --bad: #b3261e; --bar: #3b6fd4; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e7eaee; --muted: #9aa4b2; --line: #343a43; --card: #1c2026; --page: #121519;
            --good: #5bd69a; --bad: #ff8a80; --bar: #7aa5f7; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; padding: 1rem; background: var(--page); color: var(--ink);
          font: 1rem/1.4 system-ui, sans-serif; }
        header, main { max-width: 76rem; margin: 0 auto 1rem; }
        h1 { font-size: 1.4rem; margin: 0; }
        header p { margin: .25rem 0 0; overflow-wrap: anywhere; }
        main { columns: 21rem; column-gap: 1rem; }
        section { break-inside: avoid; background: var(--card); border: 1px solid var(--line);
          border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; }
        .wide { column-span: all; }
        h2 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
        table { width: 100%; border-collapse: collapse; }
        tr + tr { border-top: 1px solid var(--line); }
        th, td { padding: .3rem 0; vertical-align: top; }
        th { text-align: left; font-weight: 400; color: var(--muted); padding-right: .75rem; }
        td { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
        .bar { width: 50%; padding: .65rem .75rem 0 0; }
        .bar i { display: block; height: .5rem; border-radius: .25rem; background: var(--bar); }
        ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem 2rem; }
        li { color: var(--muted); }
        li b { display: block; font-size: 1.5rem; color: var(--ink); font-variant-numeric: tabular-nums; }
        .good { color: var(--good); }
        .bad { color: var(--bad); }
        """
}

/// How the status pages of the pool and of the recorder show a value to people.
public enum StatusText {
    /// Returns the value as text. Times have the form of the log lines.
    public static func shown(_ field: (name: String, value: JSONNode)) -> String {
        switch field.value {
        case .integer(let seconds) where isTime(field.name):
            CivilTime(milliseconds: seconds * 1000).description
        case .string(let text): DisplayText.escaped(text)
        case .integer(let number): String(number)
        case .boolean(let value): value ? "yes" : "no"
        case .real: "0.00"
        case .null, .object, .array: ""
        }
    }

    private static func isTime(_ name: String) -> Bool {
        ["start time", "loaded since", "last reload time", "built", "last notification"].contains(name)
            || name.hasSuffix(" ends")
    }
}
