internal import ArgumentParser
internal import Authoring
internal import Catalogue
internal import CommandLineTool
internal import JSON
internal import Rules
internal import System

struct CheckedFile {
    let path: String
    var members: [(String, JSONNode)] = []
    var tests: [TestResult] = []
    var findings: [Finding] = [] {
        didSet {
            let severities = Set(findings.map(\.severity))
            status = severities.contains(.error) ? .data : severities.contains(.warning) ? .no : .done
        }
    }
    var status = ExitStatus.done
}

struct IgnoredCode: ExpressibleByArgument {
    let lint: LintCheck?
    let catalogue: CatalogueReason?

    init?(argument: String) {
        func reason<Reason: FindingReason>(_ prefix: String) -> Reason? {
            Reason(rawValue: argument.hasPrefix(prefix) ? String(argument.dropFirst(prefix.count)) : argument)
        }
        lint = reason("lint.")
        let catalogue: CatalogueReason? = reason("catalogue.")
        self.catalogue = catalogue?.severity == .error ? nil : catalogue
        if lint == nil, self.catalogue == nil { return nil }
    }

    static var allValueStrings: [String] {
        LintCheck.allCases.map { "lint.\($0.rawValue)" }
            + CatalogueReason.allCases.filter { $0.severity != .error }.map { "catalogue.\($0.rawValue)" }
    }
}

enum CheckFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case json
    /// Workflow commands of GitHub Actions, which become annotations of a change.
    case github
    /// The Static Analysis Results Interchange Format 2.1.0 of OASIS.
    case sarif
    case junit

    func print(_ files: [CheckedFile]) {
        let findings = files.flatMap(\.findings)
        switch self {
        case .text:
            for file in files {
                Console.report(file.findings, json: false)
                guard file.status.rawValue <= ExitStatus.no.rawValue else { continue }
                Console.print(lines: Report(file.members, title: file.path).lines)
            }
        case .json:
            let documents = files.map { file in
                JSONNode.object([("file", .string(file.path))] + file.members)
            }
            Console.print(
                pretty: .object([
                    ("files", .array(documents)), ("diagnostics", .array(findings.map(\.json))),
                ]))
        case .github: Console.print(lines: findings.map(Self.annotation))
        case .sarif: Console.print(Self.sarif(findings))
        case .junit: Console.print(lines: Self.junit(files))
        }
    }

    private static func annotation(_ finding: Finding) -> String {
        func escaped(_ text: String, isProperty: Bool = false) -> String {
            let text = text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing(
                "\n", with: "%0A")
            return isProperty ? text.replacing(":", with: "%3A").replacing(",", with: "%2C") : text
        }
        let places = [
            ("file", finding.file), ("line", finding.line?.description), ("col", finding.column?.description),
        ]
        let properties = (places + [("title", finding.code)]).compactMap { name, value in
            value.map { "\(name)=\(escaped($0, isProperty: true))" }
        }
        let command = finding.severity == .note ? "notice" : finding.severity.rawValue
        return "::\(command) \(properties.joined(separator: ","))::\(escaped(finding.advice))"
    }

    private static func sarif(_ findings: [Finding]) -> JSONNode {
        let results = findings.map { finding -> JSONNode in
            var region: [(String, JSONNode)] = []
            if let line = finding.line { region.append(("startLine", JSONNode(line))) }
            if let column = finding.column { region.append(("startColumn", JSONNode(column))) }
            var place: [(String, JSONNode)] = [
                ("artifactLocation", .object([("uri", JSONNode(finding.file ?? "."))]))
            ]
            if !region.isEmpty { place.append(("region", .object(region))) }
            return .object([
                ("ruleId", .string(finding.code)), ("level", .string(finding.severity.rawValue)),
                ("message", .object([("text", .string(finding.advice))])),
                ("locations", .array([.object([("physicalLocation", .object(place))])])),
            ])
        }
        let driver: [(String, JSONNode)] = [
            ("name", .string("retentionctl")), ("version", .string(ProductVersion.text)),
        ]
        let run: [(String, JSONNode)] = [
            ("tool", .object([("driver", .object(driver))])), ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(results)),
        ]
        return .object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")),
            ("version", .string("2.1.0")), ("runs", .array([.object(run)])),
        ])
    }

    /// Each test of the rules is a case, and so is each warning and each error.
    private static func junit(_ files: [CheckedFile]) -> [String] {
        func quoted(_ text: String) -> String {
            "\""
                + text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
                    "\"", with: "&quot;")
                + "\""
        }
        func testCase(_ name: String, failure: String?) -> String {
            let body = failure.map { "><failure message=\(quoted($0))/></testcase>" } ?? "/>"
            return "    <testcase name=\(quoted(DisplayText.escaped(name)))"
                + DisplayText.escaped(body)
        }
        let suites = files.flatMap { file -> [String] in
            let passing = file.tests.filter(\.passes).map { testCase($0.name, failure: nil) }
            let failing = file.findings.filter { $0.severity != .note }.map {
                testCase($0.code, failure: $0.text)
            }
            let cases = (passing + failing).isEmpty ? [testCase("check", failure: nil)] : passing + failing
            let counts = "tests=\"\(cases.count)\" failures=\"\(failing.count)\""
            return ["  <testsuite name=\(quoted(file.path)) \(counts)>"] + cases + ["  </testsuite>"]
        }
        return ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"] + suites + ["</testsuites>"]
    }
}

extension Finding {
    fileprivate var advice: String { message + (hint.map { " (\($0))" } ?? "") }
}
