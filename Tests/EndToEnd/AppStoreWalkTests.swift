import Support
import System
import Testing

extension EndToEnd {
    /// `examples/appstore --once` plays Apple's side and the pool together, from a catalogue to an answered request.
    @Suite("The walk through the product")
    struct AppStoreWalkTests {
        /// Runs the script, and checks that it leaves neither files nor processes.
        private static func walk(tool: String) throws -> ProgramRun {
            let folder = try TemporaryDirectory()
            // nginx's workers may run as another user.
            try Directory.setPermissions(path: folder.path, to: 0o755)
            let run = try ProgramRun.run(
                SourceFile.root + "/examples/appstore",
                ["--once"],
                environment: [
                    "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "TMPDIR=\(folder.path)",
                    "RETENTIOND=\(try Programs.daemon())", "RETENTIONCTL=\(tool)",
                ]
            )
            let directory = try FileDescriptor.openDirectory(path: folder.path)
            #expect(try Directory.names(in: directory, limitCount: 100) == [], "the files are gone")
            let isQuiet = Patience.wait(seconds: 30) { processes(with: folder.path).isEmpty }
            #expect(isQuiet, "\(processes(with: folder.path))")
            return run
        }

        /// The command lines of processes that have a text in them.
        private static func processes(with text: String) -> [String] {
            guard let directory = try? FileDescriptor.openDirectory(path: "/proc"),
                let names = try? Directory.names(in: directory, limitCount: 100_000)
            else { return [] }
            return names.compactMap { name in
                guard Int32(name) != nil, let bytes = try? SourceFile.read("/proc/\(name)/cmdline") else {
                    return nil
                }
                let line = String(decoding: bytes, as: UTF8.self).replacing("\0", with: " ")
                return line.contains(text) ? line : nil
            }
        }

        @Test("shows that messages are uploaded, reviewed, published and served")
        func walk() throws {
            let run = try Self.walk(tool: Programs.tool())
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output.suffix(3000)) \(run.errors)")
            let steps = [
                "\n2. The messages go to Apple's Sandbox\n", "Done: 15 steps.",
                "\n3. The rules go to your pool\n", "Dry run: nothing was changed.",
                "local: loaded; it serves generation ",
                "\n   => The answer names the message that was uploaded.",
                "\n   => The performance test has PASSED.", "error: publish.not-approved: ",
                "\n8. Apple approves\n", "\n   => Your URL is registered in Production.",
                "local: loaded; it serves generation ",
                "\n   => The answer names the message that was uploaded.",
                "Nothing to do.", "\nAll 10 steps did what they should.\n",
            ]
            var rest = run.output[...]
            for step in steps {
                let found = try #require(rest.firstRange(of: step), "\(step)")
                rest = rest[found.upperBound...]
            }
        }

        /// What a broken tool does, and the words with which the walk ends.
        static let faults = [
            ("publish) exit 0 ;;", "step 3 is wrong: the command ended with 0, not with 2"),
            (
                #"appstore) if [ "$2" = request ]; then "#
                    + #"echo '{"message":{"messageIdentifier":"551ee7c0-c097-418e-9dd5-2a98533a7390"}}'; exit 0; fi ;;"#,
                "step 4 is wrong: the output does not have: {\"message\":{\"messageIdentifier\":\""
            ),
            (#"catalogue) if [ "$2" = lint ]; then exit 1; fi ;;"#, "step 1 is wrong: "),
        ]

        @Test("ends at the first step that is wrong", arguments: faults)
        func wrong(fault: (lines: String, text: String)) throws {
            let folder = try TemporaryDirectory()
            let script = "#!/bin/sh\ncase $1 in \(fault.lines) esac\nexec '\(try Programs.tool())' \"$@\"\n"
            try folder.write(script, to: "retentionctl", permissions: 0o755)
            let run = try Self.walk(tool: folder.path(of: "retentionctl"))
            #expect(run.status == 1, "\(run)")
            #expect(run.errors.contains("examples/appstore: \(fault.text)"), "\(run.errors)")
        }
    }
}
