import Support
import Testing

@Suite("retentionctl ends")
struct ExitStatusTests {
    @Test(
        "with the status and the code that scripts rely on",
        arguments: [
            (["--version"], 0, ""),
            (["--help"], 0, ""),
            ([], 0, ""),
            (["nonsense"], 64, "nonsense"),
            (["verify", "--at", "yesterday"], 64, "yesterday"),
            (["verify", "--type", "any", "--app", "1"], 64, "--app"),
            (["verify", "/nonexistent"], 65, "/nonexistent: error: system.enoent: "),
            (["verify", "/"], 65, "/: error: system.eisdir: "),
            (["verify", "--anchors", "/dev/null"], 65, "error: cryptography.certificate-not-pem: "),
            (["verify", "/dev/null"], 1, ""),
        ]
    )
    func statuses(arguments: [String], status: Int32, message: String) throws {
        let run = try Tool.run(arguments)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(message) || message.isEmpty)
        #expect(run.errors.isEmpty == message.isEmpty)
    }

    @Test("with one JSON document on standard output and nothing else when --json is given")
    func json() throws {
        let run = try Tool.run(["verify", "--json", "/nonexistent"])
        #expect(run.status == 65)
        #expect(run.errors.isEmpty)
        let expected = """
            {"diagnostics":[{"file":"/nonexistent","severity":"error","code":"system.enoent",\
            "message":"open: No such file or directory"}]}

            """
        #expect(run.output == expected)
    }

    @Test(
        "its help with an example",
        arguments: [["verify"], ["facts", "build"], ["apple", "performance-test"]]
    )
    func help(command: [String]) throws {
        let run = try Tool.run(command + ["--help"])
        #expect(run.status == 0)
        #expect(run.output.contains("retentionctl " + command.joined(separator: " ") + " "))
        #expect(run.output.contains("Example"))
    }

    @Test("with completions for the usual shells", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let run = try Tool.run(["--generate-completion-script", shell])
        #expect(run.status == 0)
        #expect(run.output.contains("performance-test"))
    }
}
