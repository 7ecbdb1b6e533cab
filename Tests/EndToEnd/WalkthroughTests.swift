import HTTPLoad
import Support
import System
import Testing

extension EndToEnd {
    /// `examples/WALKTHROUGH.md` is run as it stands, in a folder of the test and at a free port.
    @Suite("The walk by hand")
    struct WalkthroughTests {
        /// Returns the commands of the page's first part: the lines that are indented by seven columns.
        private static func commands(in folder: TemporaryDirectory) throws -> String {
            let page = String(
                decoding: try SourceFile.read(SourceFile.root + "/examples/WALKTHROUGH.md"), as: UTF8.self)
            let end = try #require(page.firstRange(of: "\n# On a server\n"))
            let lines = page[..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
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

        @Test("leads to a verified request and a verified notification under one test root")
        func walk() throws {
            let folder = try TemporaryDirectory()
            // nginx's workers may run as another user.
            try Directory.setPermissions(path: folder.path, to: 0o755)
            try folder.makeDirectory("bin")
            for program in try [Programs.daemon(), Programs.recorder(), Programs.tool()] {
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
                " com.example.app LocalTesting TEST ", "verified notification: 1\n", "\nloaded\n",
                "anchor-unknown", "\nrefused\n", "message=stopped", "message=drained requests=1",
            ]
            try ExampleWalk.expect(texts, in: run.output)
        }
    }
}
