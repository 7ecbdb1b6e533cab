import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    @Suite("The examples, as they are written")
    struct WalkTests {
        @Test("appstore shows that messages are uploaded, reviewed, published and served")
        func appStore() throws {
            let run = try ExampleWalk.run("appstore", tool: Programs.tool())
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output.suffix(3000)) \(run.errors)")
            let steps = [
                "\n2. The messages go to Apple's Sandbox\n", "Done: 15 steps.",
                "\n3. The rules go to your pool\n", "Dry run: nothing was changed.",
                "local: loaded; it serves ",
                "\n   => The answer names the message that was uploaded.",
                "\n   => The performance test has PASSED.", "error: publish.not-approved: ",
                "\n8. Apple approves\n", "\n   => Your URL is registered in Production.",
                "local: loaded; it serves ",
                "\n   => The answer names the message that was uploaded.",
                "Nothing to do.", "\nAll 10 steps did what they should.\n",
            ]
            try ExampleWalk.expect(steps, in: run.output)
        }

        @Test("loop shows that an accepted offer becomes a fact, and that the fact changes the next answer")
        func loop() throws {
            let run = try ExampleWalk.run("loop", tool: Programs.tool())
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.output.suffix(3000)) \(run.errors)")
            let steps = [
                "\n1. You publish messages and rules\n", "local: loaded; it serves ",
                "\n3. Two customers subscribe and stay\n", "  SUBSCRIBED.INITIAL_BUY: pro_monthly to ",
                "  DID_RENEW: pro_monthly to ", " Sandbox DID_RENEW pro_monthly ",
                "   => Your store has all 12 notifications.", "  subscribers   2\n",
                "paidPeriods: 6\n", "offersAccepted: 0\n", "lastOfferAt: -\n",
                #""body":{"promotionalOffer":{"messageIdentifier":""#,
                "   => The customer sees \"Three months at half the price\".",
                "  OFFER_REDEEMED: pro_monthly to ", " for 9990, then 4990 with the offer save50_3m\n",
                "error: simulator.refused: the signature was used before",
                " Sandbox OFFER_REDEEMED pro_monthly ", "  subscribers   2\n",
                "offersAccepted: 1\n", #""body":{"message":{"messageIdentifier":""#,
                "   => The customer sees \"Your routes are waiting\".", "caps: too soon (offersAccepted is 1",
                "without caps: loyal_half_price: offer half_price_3m, save50_3m on pro_monthly",
                "\n9. Others are not concerned\n", #""body":{"promotionalOffer":{"messageIdentifier":""#,
                " for 4990 with the offer save50_3m, then 4990 with the offer save50_3m",
                "  subscribers   2\n", "  accepted an offer, pro_monthly, 9.99 USD, ",
                "  renewed, pro_monthly, 4.99 USD, promotional offer save50_3m, until ",
                "    offersAccepted: 1\n", "\n11. Half a year later\n",
                "caps: passes (offersAccepted is 1", "decision: TARGETING_MATCH: offer half_price_3m",
                "\nAll 11 steps did what they should.\n",
            ]
            try ExampleWalk.expect(steps, in: run.output)
        }

        /// What a broken tool does, and the words with which a walk ends.
        static let faults = [
            ("appstore", "publish) exit 0 ;;", "step 3 is wrong: the command ended with 0, not with 2"),
            ("loop", "publish) exit 0 ;;", "step 1 is wrong: the output does not have: local: loaded"),
        ]

        @Test("end at the first step that is wrong", arguments: faults)
        func wrong(fault: (name: String, lines: String, text: String)) throws {
            let folder = try TemporaryDirectory()
            let tool = try ExampleWalk.brokenTool(fault.lines, in: folder)
            let run = try ExampleWalk.run(fault.name, tool: tool)
            #expect(run.status == 1, "\(run)")
            #expect(run.errors.contains("examples/\(fault.name): \(fault.text)"), "\(run.errors)")
        }

        /// Returns the commands of the page: the lines that are indented by seven columns.
        private static func commands(in folder: TemporaryDirectory) throws -> String {
            let page = String(
                decoding: try SourceFile.read(SourceFile.root + "/examples/WALKTHROUGH.md"), as: UTF8.self)
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { $0.hasPrefix("       ") }.map { String($0.dropFirst(7)) }
            let port = try LoopbackPort.free(1)[0]
            let copy = "cp nginx/* /tmp/retention/nginx/"
            var text = lines.joined(separator: "\n") + "\n"
            for (old, new) in [
                (copy, "\(copy); sed -i s/8443/\(port)/ /tmp/retention/nginx/nginx.conf"),
                ("localhost:8443", "localhost:\(port)"), ("127.0.0.1/8443", "127.0.0.1/\(port)"),
                ("/tmp/", folder.path + "/"), ("$PWD/.build/release", folder.path + "/bin"),
            ] {
                try #require(text.contains(old), "\(old)")
                text.replace(old, with: new)
            }
            return text
        }

        @Test("WALKTHROUGH.md leads to a verified request and a verified notification under one test root")
        func byHand() throws {
            let folder = try TemporaryDirectory()
            // nginx's workers may run as another user.
            try Directory.setPermissions(path: folder.path, to: 0o755)
            try folder.makeDirectory("bin")
            for program in try [
                Programs.daemon(), Programs.recorder(), Programs.tool(), Programs.simulator(),
            ] {
                let name = program.split(separator: "/").last ?? ""
                let link = try Programs.run("ln", ["-s", program, folder.path(of: "bin/\(name)")])
                try #require(link.status == 0, "\(link.errors)")
            }
            try folder.write(try Self.commands(in: folder), to: "walk.sh")
            let run = try Programs.run(
                "bash",
                // The walk ends its processes itself; after a step that fails, the trap does.
                [
                    "-e", "-o", "pipefail", "-c",
                    "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT; cd \"$1\"; . \"$2\"", "walk",
                    SourceFile.root, folder.path(of: "walk.sh"),
                ],
                environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=\(folder.path)"]
            )
            #expect(run.status == 0, "\(run.output.suffix(3000)) \(run.errors)")
            let texts = [
                "messageIdentifier", "\nSUCCESS\n", "\nPASS\n", "200\n",
                " com.example.app LocalTesting TEST ", "verified\n  notification    1\n",
                "local: loaded; it serves revision second",
                "anchor-unknown", "\nrefused\n", "message=stopped", "message=drained requests=1",
            ]
            try ExampleWalk.expect(texts, in: run.output)
        }
    }
}

/// A script of `examples` that walks through the product.
enum ExampleWalk {
    /// Runs a script with `--once`, and checks that it leaves neither files nor processes.
    static func run(_ name: String, tool: String) throws -> ProgramRun {
        let folder = try TemporaryDirectory()
        // nginx's workers may run as another user.
        try Directory.setPermissions(path: folder.path, to: 0o755)
        let kept = try keepingLogs()
        let run = try Programs.run(
            SourceFile.root + "/examples/" + name,
            ["--once"],
            environment: [
                "PATH=\(kept.path)/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                "TMPDIR=\(folder.path)",
                "RETENTIOND=\(try Programs.daemon())", "RETENTIOND_RECORDER=\(try Programs.recorder())",
                "RETENTIONCTL=\(tool)", "APPSTORE_SIMULATOR=\(try Programs.simulator())",
            ]
        )
        LogAudit.check(kept)
        let directory = try FileDescriptor.openDirectory(path: folder.path)
        #expect(try Directory.names(in: directory, limitCount: 100) == [], "the files are gone")
        let isQuiet = Patience.wait(seconds: 30) { processes(with: folder.path).isEmpty }
        #expect(isQuiet, "\(processes(with: folder.path))")
        return run
    }

    /// Makes a folder for the logs of a script, with a program `rm` for its PATH that keeps the logs which it removes.
    private static func keepingLogs() throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("bin")
        try folder.write(
            """
            #!/bin/sh
            for place; do
                [ ! -d "$place" ] || find "$place" -name '*.log' -exec cp --backup=numbered {} '\(folder.path)' ';'
            done
            exec /bin/rm "$@"

            """,
            to: "bin/rm",
            permissions: 0o755
        )
        return folder
    }

    /// Checks that an output has these texts in this order.
    static func expect(_ texts: [String], in output: String) throws {
        var rest = output[...]
        for text in texts {
            let found = try #require(rest.firstRange(of: text), "\(text)")
            rest = rest[found.upperBound...]
        }
    }

    /// Returns the path of a tool that does what `lines`, the lines of a shell's `case`, say of a command, and everything else
    /// as the real one.
    static func brokenTool(_ lines: String, in folder: TemporaryDirectory) throws -> String {
        let script = "#!/bin/sh\ncase $1 in \(lines) esac\nexec '\(try Programs.tool())' \"$@\"\n"
        try folder.write(script, to: "retentionctl", permissions: 0o755)
        return folder.path(of: "retentionctl")
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
}
