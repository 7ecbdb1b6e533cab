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
            (["appstore", "request"], 64, "--url"),
            (["verify", "--at", "yesterday"], 64, "yesterday"),
            (["verify", "--type", "any", "--app", "1"], 64, "--app"),
            (["verify", "/nonexistent"], 66, "/nonexistent: error: system.enoent: "),
            (["verify", "/"], 74, "/: error: system.eisdir: "),
            (["verify", "--anchors", "/dev/null"], 65, "error: cryptography.certificate-not-pem: "),
            (["appstore", "init", "/nonexistent/a"], 74, "/nonexistent/a: error: system.enoent: mkdir: "),
            (["appstore", "init", "/proc/a"], 74, "/proc/a: error: system.enoent: mkdir: "),
            (["verify", "/dev/null"], 1, ""),
        ]
    )
    func statuses(arguments: [String], status: Int32, message: String) throws {
        let run = try Tool.run(arguments)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(message) || message.isEmpty)
        #expect(run.errors.isEmpty == message.isEmpty)
    }

    @Test(
        "with a status and a code for each reason why a request gets no answer",
        arguments: [
            (["--url", "http://127.0.0.1:1/"], 69, "http.not-connected"),
            (["--url", "ftp://127.0.0.1/"], 64, "http.bad-url"),
            (["--url", "https://127.0.0.1:1/", "--cacert", "/nonexistent"], 69, "http.not-connected"),
        ]
    )
    func requests(arguments: [String], status: Int32, code: String) throws {
        let tool = try Tool()
        let run = try Tool.run(["appstore", "request"] + tool.signing + arguments)
        #expect(run.status == status)
        #expect(run.errors.hasPrefix("error: \(code): "))
        #expect(run.output.isEmpty)
    }

    @Test("with one JSON document on standard output and nothing else when --json is given")
    func json() throws {
        let run = try Tool.run(["verify", "--json", "/nonexistent"])
        #expect(run.status == 66)
        #expect(run.errors.isEmpty)
        let expected = """
            {"diagnostics":[{"file":"/nonexistent","severity":"error","code":"system.enoent",\
            "message":"open: No such file or directory"}]}

            """
        #expect(run.output == expected)
    }

    @Test("with 77 instead of overwriting an authority")
    func existingAuthority() throws {
        let tool = try Tool()
        let before = try tool.folder.read("authority/leaf.key")
        let run = try Tool.run(["appstore", "init", tool.authority])
        #expect(run.status == 77)
        #expect(try tool.folder.read("authority/leaf.key") == before)
    }

    @Test(
        "its help with an example",
        arguments: [
            ["verify"], ["appstore"], ["appstore", "init"], ["appstore", "sign"], ["appstore", "request"],
            ["appstore", "performance-test"],
        ]
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
