/// The text of a scrape, read by the rules of its specification: the text format of Prometheus 0.0.4.
/// Every breach of a rule is in ``problems``.
package struct ExpositionCheck: Sendable {
    package struct Sample: Sendable, Hashable {
        package let name: String
        package let labels: [String: String]
        package let text: String
        package var value: Double { Double(text) ?? .nan }
    }

    package struct Family: Sendable {
        package let name: String
        package var type = ""
        package var help = ""
        package var samples: [Sample] = []
    }

    package private(set) var families: [Family] = []
    package private(set) var problems: [String] = []

    package init(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.popLast() != "" { problems.append("the last line does not end") }
        for line in lines { read(line) }
        for family in families { check(family) }
        let names = families.map(\.name)
        if Set(names).count != names.count { problems.append("a family is there twice") }
        let all = families.flatMap(\.samples).map { "\($0.name) \($0.labels.sorted { $0.key < $1.key })" }
        if Set(all).count != all.count { problems.append("a sample is there twice") }
    }

    package func samples(_ name: String) -> [Sample] {
        families.flatMap(\.samples).filter { $0.name == name }
    }

    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples(name).first { $0.labels == labels }?.value
    }

    private mutating func read(_ line: String) {
        if line.hasPrefix("# ") {
            let parts = line.dropFirst(2).split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3, ["HELP", "TYPE"].contains(parts[0]) else {
                return problems.append("a comment that is no metadata: \(line)")
            }
            if families.last?.name != parts[1] { families.append(Family(name: parts[1])) }
            let last = families.count - 1
            if !families[last].samples.isEmpty { problems.append("metadata after samples: \(line)") }
            if parts[0] == "TYPE" {
                set(\.type, of: last, to: parts[2], line)
            } else {
                set(\.help, of: last, to: unescaped(parts[2], quotes: false), line)
            }
            return
        }
        guard let sample = sample(line) else { return problems.append("not a sample: \(line)") }
        guard let last = families.indices.last else {
            return problems.append("a sample without a family: \(line)")
        }
        families[last].samples.append(sample)
    }

    private mutating func set(
        _ part: WritableKeyPath<Family, String>, of family: Int, to text: String, _ line: String
    ) {
        if !families[family][keyPath: part].isEmpty { problems.append("twice: \(line)") }
        families[family][keyPath: part] = text
    }

    /// Returns the text without its escapes, and notes an escape that the format does not have.
    private mutating func unescaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        var isEscape = false
        for scalar in text.unicodeScalars {
            if isEscape {
                isEscape = false
                switch scalar {
                case "\\": result.append("\\")
                case "n": result.append("\n")
                case "\"" where quotes: result.append("\"")
                default: problems.append("an unknown escape in \(text)")
                }
            } else if scalar == "\\" {
                isEscape = true
            } else {
                if scalar == "\"" && quotes { problems.append("a bare quote in \(text)") }
                result.unicodeScalars.append(scalar)
            }
        }
        if isEscape { problems.append("an escape at the end of \(text)") }
        return result
    }

    private mutating func sample(_ line: String) -> Sample? {
        let text = line.unicodeScalars
        let nameEnd = text.firstIndex { $0 == "{" || $0 == " " } ?? text.endIndex
        let name = String(text[..<nameEnd])
        guard name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil, nameEnd < text.endIndex else {
            return nil
        }
        var labels: [String: String] = [:]
        var rest = text[nameEnd...]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                guard let equals = rest.firstIndex(of: "="), text.index(after: equals) < text.endIndex,
                    text[text.index(after: equals)] == "\""
                else { return nil }
                let label = String(rest[..<equals])
                rest = rest[equals...].dropFirst(2)
                var value = String.UnicodeScalarView()
                var isEscaped = false
                while let scalar = rest.popFirst() {
                    if scalar == "\"", !isEscaped { break }
                    isEscaped = scalar == "\\" && !isEscaped
                    value.append(scalar)
                }
                if label.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) == nil || labels[label] != nil {
                    problems.append("label \(label) in \(line)")
                }
                labels[label] = unescaped(String(value), quotes: true)
                if rest.first == "," { rest = rest.dropFirst() } else if rest.first != "}" { return nil }
            }
            rest = rest.dropFirst()
        }
        guard rest.popFirst() == " " else { return nil }
        let number = String(rest)
        guard number.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil else { return nil }
        return Sample(name: name, labels: labels, text: number)
    }

    // MARK: - Families

    private mutating func check(_ family: Family) {
        func bad(_ what: String) { problems.append("\(family.name): \(what)") }
        if family.help.isEmpty { bad("no help") }
        if !["counter", "gauge", "histogram"].contains(family.type) { bad("type \(family.type)") }
        let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        for sample in family.samples {
            if !suffixes.contains(where: { sample.name == family.name + $0 }) { bad("sample \(sample.name)") }
            if family.type != "gauge", sample.value < 0 { bad("a negative number") }
        }
        if family.type == "counter", !family.name.hasSuffix("_total") { bad("no _total") }
        if family.type == "histogram" { checkHistogram(family) }
        let labels = Set(family.samples.map { $0.labels.keys.filter { $0 != "le" }.sorted() })
        if labels.count > 1 { bad("samples with different labels") }
    }

    private mutating func checkHistogram(_ family: Family) {
        func bad(_ what: String) { problems.append("\(family.name): \(what)") }
        let groups = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
        for (labels, samples) in groups {
            let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
            let edges = buckets.compactMap { $0.labels["le"] }
            let values = edges.map { $0 == "+Inf" ? Double.infinity : Double($0) ?? .nan }
            if edges.count != buckets.count || edges.last != "+Inf" { bad("buckets of \(labels)") }
            if zip(values, values.dropFirst()).contains(where: { !($0 < $1) }) {
                bad("order of edges of \(labels)")
            }
            if zip(buckets, buckets.dropFirst()).contains(where: { $0.value > $1.value }) {
                bad("not cumulative")
            }
            let count = samples.filter { $0.name.hasSuffix("_count") }.map(\.value)
            let sums = samples.filter { $0.name.hasSuffix("_sum") }
            if count != [buckets.last?.value ?? -1] || sums.count != 1 { bad("count or sum of \(labels)") }
        }
    }
}
