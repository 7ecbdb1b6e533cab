/// The text of a scrape, read as the text format of Prometheus 0.0.4. What cannot be read is in ``problems``.
package struct ExpositionCheck: Sendable {
    package struct Sample: Sendable, Hashable {
        package let name: String
        package let labels: [String: String]
        package let value: Double
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
        for line in text.split(separator: "\n").map(String.init) {
            if let match = line.wholeMatch(of: #/# (HELP|TYPE) (\w+) (.*)/#) {
                let (name, words) = (String(match.output.2), String(match.output.3))
                if families.last?.name != name { families.append(Family(name: name)) }
                if match.output.1 == "HELP" {
                    families[families.count - 1].help = Self.unescaped(words)
                } else {
                    families[families.count - 1].type = words
                }
            } else if let match = line.wholeMatch(of: #/(\w+)(?:\{(.*)\})? (-?[0-9.]+)/#), !families.isEmpty {
                var labels: [String: String] = [:]
                for label in (match.output.2 ?? "").matches(of: #/(\w+)="((?:[^"\\]|\\.)*)"/#) {
                    labels[String(label.output.1)] = Self.unescaped(String(label.output.2))
                }
                families[families.count - 1].samples.append(
                    Sample(
                        name: String(match.output.1), labels: labels,
                        value: Double(match.output.3) ?? .nan))
            } else {
                problems.append(line)
            }
        }
    }

    private static func unescaped(_ text: String) -> String {
        text.replacing("\\\"", with: "\"").replacing("\\n", with: "\n").replacing("\\\\", with: "\\")
    }

    package func samples(_ name: String) -> [Sample] {
        families.flatMap(\.samples).filter { $0.name == name }
    }

    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples(name).first { $0.labels == labels }?.value
    }
}
