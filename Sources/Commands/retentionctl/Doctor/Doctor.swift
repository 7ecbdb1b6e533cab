internal import ArgumentParser
internal import CommandLineTool
internal import Configuration
internal import JSON
internal import System

/// Looks at everything on this machine on which an answer depends.
struct DoctorCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Looks at everything on which an answer depends, and says what to type where something is wrong.",
        discussion: """
            Runs on the machine of the pool, best as root: then what the pool needs is checked with the pool's own rights. \
            With --url it asks the endpoint through nginx, too, and sends a signed request where the configuration trusts \
            a test authority. With --host it says what other hosts serve, and nothing else.

            Ends with 1 if a line says FAILURE.

            Examples:
              retentionctl doctor --url https://www.example.com/retention-message
              retentionctl doctor --host one --host two
            """
    )

    @Option(help: ArgumentHelp("The URL that Apple calls, or will call.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp("The configuration of the pool.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config = "/etc/retentiond/retentiond.json"

    @Option(
        help: ArgumentHelp(
            "The authorities to trust for nginx's certificate, in PEM; without it, those that Apple trusts too.",
            valueName: "file"),
        completion: .file(extensions: ["pem"]))
    var cacert: String?

    @OptionGroup var hosts: OptionalHosts
    @OptionGroup var output: OutputOptions

    func run() throws {
        let findings = DoctorFindings()
        if hosts.host.isEmpty {
            let pool = DoctorPool(findings, config: config)
            pool.check()
            if let configuration = pool.configuration, let programs = pool.programs {
                DoctorRecorder(findings, configuration, programs).check()
                if let url {
                    try DoctorWeb(findings, configuration, url: url, cacert: cacert).check()
                }
            }
        } else {
            for host in hosts.host { hosts.check(host, findings) }
        }
        findings.print(json: output.json)
        if findings.hasFailure { throw ExitCode(ExitStatus.no.rawValue) }
    }
}

/// What was found, in the order in which it was looked at.
final class DoctorFindings {
    private enum Outcome: String {
        case ok, warning, failure
    }

    private struct Line {
        let outcome: Outcome
        let subject: String
        let text: String
        let hint: String?
    }

    private var lines: [Line] = []

    var hasFailure: Bool { lines.contains { $0.outcome == .failure } }

    func ok(_ subject: String, _ text: String) {
        lines.append(Line(outcome: .ok, subject: subject, text: text, hint: nil))
    }

    func warn(_ subject: String, _ text: String, _ hint: String) {
        lines.append(Line(outcome: .warning, subject: subject, text: text, hint: hint))
    }

    func fail(_ subject: String, _ text: String, _ hint: String) {
        lines.append(Line(outcome: .failure, subject: subject, text: text, hint: hint))
    }

    func fail(_ subject: String, _ error: any Error) {
        let error = ToolError(error)
        fail(subject, "\(error)", error.findings.first?.hint ?? "retentionctl doctor --help")
    }

    func print(json: Bool) {
        guard !json else {
            let nodes = lines.map { line in
                JSONNode.object([
                    ("outcome", .string(line.outcome.rawValue)), ("subject", .string(line.subject)),
                    ("text", .string(line.text)), ("hint", JSONNode(line.hint)),
                ])
            }
            return Console.print(.object([("findings", .array(nodes))]))
        }
        let width = lines.map(\.subject.count).max() ?? 0
        Console.print(
            lines: lines.flatMap { line -> [String] in
                let mark = line.outcome == .ok ? "ok     " : line.outcome == .warning ? "warning" : "FAILURE"
                let subject = line.subject + String(repeating: " ", count: width - line.subject.count)
                let first = "\(mark)  \(subject)  \(line.text)"
                return [first]
                    + (line.hint.map { ["         \(String(repeating: " ", count: width))  \($0)"] } ?? [])
            })
    }
}

/// `--host` of `doctor`: what each host serves.
struct OptionalHosts: ParsableArguments {
    @Option(
        help: ArgumentHelp("Say what this host serves, as ssh knows it. May be repeated.", valueName: "host"))
    var host: [PublishHost] = []

    func check(_ host: PublishHost, _ findings: DoctorFindings) {
        let subject = "\(host)"
        do {
            let pool = try HostOptions.asking(host).served(host, withRules: false)
            for file in pool.files {
                findings.ok(
                    subject,
                    "\(file.name): \(file.text), app \(file.appAppleId) in \(file.environment)")
            }
            if let refusal = pool.refusal {
                findings.fail(
                    subject, "the last load was refused: \(refusal.message) (\(refusal.code))",
                    "mend the file and publish it again: retentionctl publish rules.json --host \(host)")
            } else if pool.files.isEmpty {
                findings.fail(
                    subject, "it serves no rules", "retentionctl publish rules.json --host \(host) --confirm")
            }
        } catch {
            findings.fail(
                subject, "\(ToolError(error))", "ssh \(host) sudo -n -u retentiond retentiond --served")
        }
    }
}
