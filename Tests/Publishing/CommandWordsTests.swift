import Authoring
import Support
import System
import Testing

@Suite("The words of a command")
struct CommandWordsTests {
    @Test(
        "are separated by spaces and kept together by quotes, and nothing else has a meaning",
        arguments: [
            ("ssh", ["ssh"]), ("  ssh   -p 22  ", ["ssh", "-p", "22"]),
            ("retentiond --config '/srv/a b.json'", ["retentiond", "--config", "/srv/a b.json"]),
            (#"a "b 'c'" 'd "e"'"#, ["a", "b 'c'", #"d "e""#]), (#"a'b c'd"e f""#, ["ab cde f"]),
            ("a ''", ["a", ""]),
            (#"a \b $c `d` ; e & #f ~ *"#, ["a", #"\b"#, "$c", "`d`", ";", "e", "&", "#f", "~", "*"]),
            ("ä ö", ["ä", "ö"]),
        ]
    )
    func split(text: String, words: [String]) throws {
        #expect(try CommandWords(text).words == words)
    }

    @Test(
        "are refused when they name no program",
        arguments: [
            ("", "empty"), ("   ", "empty"), ("''", "empty"), ("-p 22", "option"), ("'-p'", "option"),
            ("a 'b", "quote"), ("a \"b'", "quote"), ("a\nb", "control"), ("a\tb", "control"),
            ("a\u{0}", "control"),
            ("a\u{7f}", "control"), (String(repeating: "a", count: 4097), "longer"),
        ]
    )
    func refused(text: String, reason: String) {
        let error = #expect(throws: ToolError.self) { try CommandWords(text) }
        #expect(error?.code == "publish.bad-argument")
        #expect(error?.description.contains(reason) == true)
    }

    @Test("come out of a shell as they went in, whatever they hold")
    func shell() throws {
        let words = [
            "printf", #"%s\n"#, "a b", "'", "\"", "''", "\\", "$HOME", "`id`", "$(id)", ";", "&&", "*", "~",
            "#", "-n",
            "!", "{a,b}", "a'b'c", "ü", "",
        ]
        let host = try PublishHost("one")
        let commands = HostCommands(
            remoteShell: try CommandWords("shell"),
            rsync: "rsync",
            retentiond: try CommandWords("x"),
            reload: try CommandWords(
                words.map { $0.contains("'") ? "\"\($0)\"" : "'\($0)'" }.joined(separator: " ")
            )
        )
        let line = commands.reload(host)
        #expect(line.count == 3 && Array(line.prefix(2)) == ["shell", "one"])
        let run = try ProgramRun.run("sh", ["-c", line[2]])
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(run.output == words.dropFirst(2).map { $0 + "\n" }.joined())
    }
}
