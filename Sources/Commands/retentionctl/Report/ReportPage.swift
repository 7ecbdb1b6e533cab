internal import Catalogue
internal import Effect

/// A report for people, in one HTML file without a script.
struct ReportPage {
    let words: ReportWords

    private var report: EffectReport { words.report }

    private static let style = """
        .say{font-size:1.15rem;line-height:1.4;margin:.5em 0}
        figure{margin:1em 0;max-width:560px}
        figcaption{color:var(--soft);font-size:.85rem}
        svg{display:block;width:100%;height:auto;font-family:inherit}
        svg text{fill:var(--text);font-size:11px}
        .band{fill:var(--rulefill)}
        .lift{fill:none;stroke:var(--rule);stroke-width:2}
        .nought{stroke:var(--soft);stroke-dasharray:4 3}
        .axis{stroke:var(--line)}
        .bar{fill:var(--rule)}
        .bar.control{fill:var(--soft)}
        td.words{white-space:normal;min-width:8rem;text-align:left}
        tbody th .soft{display:block;white-space:normal;max-width:9rem}
        @media print{:root{color-scheme:light}body{padding:0;font-size:11pt}section{break-inside:avoid;border:1px solid var(--line)}
        .band,.bar,.badge{print-color-adjust:exact}}
        @page{size:A4;margin:14mm}

        """

    var bytes: [UInt8] {
        let title = "Effect of messages: \(report.app) in \(report.environment)"
        let sections: [HTML] = report.experiments.map(section)
        let none: HTML =
            report.experiments.isEmpty
            ? "<section><p class=\"say\">\(words.nobody)</p></section>\n" : ""
        let body: HTML = """
            <header>
            <h1>Effect of the messages of <bdi>\(report.app)</bdi> in \(report.environment)</h1>
            <p>\(HTML.time(report.now)). Verdicts are about <code>\(report.options.outcome.rawValue)</code> \
            (\(ReportWords.meaning(report.options.outcome))). They may be looked at every day.</p>
            </header>
            <main>\(none)\(sections)\(data)</main>
            """
        return HTML.page(title: title, style: Array(Self.style.utf8), body).bytes
    }

    // MARK: An experiment

    private func section(_ experiment: ExperimentReport) -> HTML {
        let said: [HTML] = experiment.comparisons.map { comparison in
            """
            <p class="say">\(Self.badge(comparison.verdict)) <bdi>\(words.sentence(comparison, of: experiment))</bdi>.</p>

            """
        }
        let arms: [HTML] = experiment.arms.map { arm in
            """
            <tr><th scope="row"><bdi>\(arm)</bdi></th><td>\(ReportWords.folded(experiment.units(arm)))</td>\
            <td class="words">\(ReportWords.got(arm, of: experiment))</td></tr>

            """
        }
        let comparisons: [HTML] = experiment.comparisons.map { comparison in
            "\(lift(comparison, of: experiment))\(outcomes(comparison, of: experiment))"
        }
        return """
            <section><h2><bdi>\(ReportWords.name(experiment.experiment))</bdi></h2>
            \(said)
            \(HTML.table("Arms", head: ["Arm", "Subscribers", "What they got"], arms))\
            \(comparisons)\(classes(experiment))
            </section>

            """
    }

    private static func badge(_ verdict: Verdict) -> HTML {
        let (style, word) =
            switch verdict {
            case .better: ("approved", "\u{2713} better")
            case .worse: ("rejected", "\u{2715} worse")
            case .invalid: ("rejected", "! no verdict")
            case .notEnoughData: ("pending", "\u{2026} not enough data")
            case .undecided: ("pending", "? cannot tell yet")
            }
        return "<span class=\"badge \(style)\">\(word)</span>"
    }

    private func outcomes(_ comparison: Comparison, of experiment: ExperimentReport) -> HTML {
        let rows: [HTML] = comparison.outcomes.map { estimate in
            let key = estimate.key
            return HTML.row(
                "\(ReportWords.name(key))<span class=\"soft\">\(ReportWords.meaning(key.outcome))</span>",
                ReportWords.row(estimate).dropFirst() + [ReportWords.saved(estimate, comparison) ?? "-"])
        }
        let sides: [HTML] = [comparison.arm, experiment.arms[0]].map { "<bdi>\($0)</bdi>" }
        let head: [HTML] = ["Outcome"] + sides + ["Difference", "Interval", "Saved"]
        return rows.isEmpty ? "" : HTML.table("Outcomes", head: head, rows)
    }

    // MARK: Pictures

    /// A number in a drawing.
    private static func place(_ value: Double) -> String {
        NumberText.decimal(value, 1).replacing(",", with: "")
    }

    /// The difference with its band, as it was known with the subscribers up to each day.
    private func lift(_ comparison: Comparison, of experiment: ExperimentReport) -> HTML {
        let days = comparison.days.filter { !$0.estimate.isFolded }
        guard let first = days.first, let last = days.last, last.day > first.day,
            comparison.verdict != .invalid
        else { return "" }
        // The first days know nothing, and their band would hide the others.
        let later = days.suffix((days.count + 1) / 2)
        let limit =
            later.reduce(0.0) { max($0, abs($1.estimate.interval.low), abs($1.estimate.interval.high)) } * 1.1
        func x(_ day: Int) -> Double { 56 + 290 * Double(day - first.day) / Double(last.day - first.day) }
        func y(_ value: Double) -> Double { 90 - 76 * min(max(value / limit, -1), 1) }
        func points(_ value: (Estimate) -> Double) -> [String] {
            days.map { "\(Self.place(x($0.day))),\(Self.place(y(value($0.estimate))))" }
        }
        let band = (points(\.interval.high) + points(\.interval.low).reversed()).joined(separator: " ")
        let line = points(\.difference.estimate).joined(separator: " ")
        func label(_ value: Double) -> String {
            comparison.primary?.key.outcome.isShare == true
                ? NumberText.points(value) : NumberText.decimal(value / 1000, 2, signed: true)
        }
        let ticks: [HTML] = [limit / 1.1, 0, -limit / 1.1].map { value in
            "<text x=\"50\" y=\"\(Self.place(y(value) + 4))\" text-anchor=\"end\">\(label(value))</text>\n"
        }
        let sides = "\(comparison.arm) against \(experiment.arms[0])"
        return """
            <figure><svg viewBox="0 0 360 190" role="img" aria-label="\(words.sentence(comparison, of: experiment))">
            <polygon class="band" points="\(band)"/>
            <line class="axis" x1="56" y1="10" x2="56" y2="170"/>
            <line class="nought" x1="56" y1="90" x2="346" y2="90"/>
            <polyline class="lift" points="\(line)"/>
            \(ticks)<text x="56" y="186">\(DayText.of(first.day))</text>
            <text x="346" y="186" text-anchor="end">\(DayText.of(last.day))</text>
            </svg><figcaption><bdi>\(sides)</bdi>: the difference with the subscribers up to each day, in \
            \(comparison.primary?.key.outcome.isShare == true ? "points" : "money for each"), and its 95 % \
            interval.</figcaption></figure>

            """
    }

    private static let classes: [Outcome] = [.kept24h, .redeemed24h, .switched24h]

    /// What had become of the subscribers after 24 hours, by arm.
    private func classes(_ experiment: ExperimentReport) -> HTML {
        var rows: [(label: String, share: Double?, isControl: Bool)] = []
        for outcome in Self.classes {
            let estimates = experiment.comparisons.compactMap { comparison in
                comparison.outcomes.first { $0.key.outcome == outcome }
            }
            guard let first = estimates.first else { continue }
            let sides = [(first, first.control)] + estimates.map { ($0, $0.treated) }
            let shown = sides.filter { !$0.0.isFolded($0.1) }.map { ($0.1.arm, $0.1.mean) }
            guard !shown.isEmpty else { continue }
            rows.append((ReportWords.meaning(outcome), nil, false))
            rows += shown.map { ($0.0, $0.1, $0.0 == experiment.arms[0]) }
        }
        guard !rows.isEmpty else { return "" }
        let bars: [HTML] = rows.enumerated().map { index, row in
            let y = 18 * index
            guard let share = row.share else {
                return "<text x=\"0\" y=\"\("\(y + 14)")\">\(row.label)</text>\n"
            }
            let label = row.label.count > 16 ? row.label.prefix(15) + "\u{2026}" : row.label
            return """
                <text x="108" y="\("\(y + 13)")" text-anchor="end">\(label)</text>
                <rect class="bar\(row.isControl ? " control" : "")" x="114" y="\("\(y + 3)")" \
                width="\(Self.place(180 * share))" height="12"/>
                <text x="\(Self.place(119 + 180 * share))" y="\("\(y + 13)")">\(NumberText.percent(share))</text>

                """
        }
        return """
            <figure><svg viewBox="0 0 360 \("\(18 * rows.count + 4)")" role="img" aria-label="After 24 hours, by arm">
            \(bars)</svg><figcaption>After 24 hours, by arm.</figcaption></figure>

            """
    }

    // MARK: Data

    private var data: HTML {
        let rows = words.data.map { HTML.row("\($0[0])", [$0[1]]) }
        return """
            <section><h2>Data</h2>
            \(HTML.table("Data", rows))<p class="soft">Everybody who viewed the page counts, whatever was served: most never tap Cancel and see no message.
            A subscriber counts once, at the first request. Groups of fewer than 20 are not shown.</p>
            </section>

            """
    }
}
