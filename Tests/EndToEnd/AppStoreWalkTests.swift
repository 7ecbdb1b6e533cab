import Support
import Testing

extension EndToEnd {
    /// `examples/appstore --once` plays Apple's side and the pool together, from a catalogue to an answered request.
    @Suite("The walk through the product")
    struct AppStoreWalkTests {
        @Test("shows that messages are uploaded, reviewed, published and served")
        func walk() throws {
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
            let tool = try ExampleWalk.brokenTool(fault.lines, in: folder)
            let run = try ExampleWalk.run("appstore", tool: tool)
            #expect(run.status == 1, "\(run)")
            #expect(run.errors.contains("examples/appstore: \(fault.text)"), "\(run.errors)")
        }
    }
}
