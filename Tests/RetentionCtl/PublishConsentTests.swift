import Support
import Testing

@Suite("retentionctl publish and its user")
struct PublishConsentTests {
    @Test(
        "asks on a terminal, and anything but a yes makes it a dry run",
        arguments: [("y", Int32(1), true), ("yes", 1, true), ("n", 2, false), ("", 2, false)]
    )
    func terminal(answer: String, status: Int32, isDone: Bool) throws {
        let world = try PublishWorld()
        try world.addHost("one")
        let words =
            [
                try ProgramRun.product("retentionctl"), "publish", world.folder.path(of: "rules.json"),
                "--environment", "Production", "--state", world.folder.path,
            ] + world.options()
        let command = words.map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        // script(1) gives the command a terminal.
        let run = try ProgramRun.run(
            "script", ["-q", "-e", "-c", command, "/dev/null"], input: Array("\(answer)\n".utf8))
        #expect(run.output.contains("Publish to one? [y/N] "), "\(run)")
        // The scripts of this host load nothing, so a publication fails.
        #expect(run.status == status, "\(run)")
        #expect(run.output.contains("Dry run: nothing was changed.") == !isDone)
        #expect(try world.names("one/data").isEmpty == !isDone)
    }
}
