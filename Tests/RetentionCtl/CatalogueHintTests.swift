import JSON
import Support
import Testing

@Suite("retentionctl catalogue says what to do")
struct CatalogueHintTests {
    @Test("names --state when the state's directory cannot be written")
    func state() throws {
        let world = try CatalogueWorld()
        // Nobody can make a directory there, not even root.
        let state = ["--state", "/sys/retention-test"]
        #expect(try world.run("plan", state).status == 2)
        let run = try world.run("apply", state)
        #expect(run.status == 65, "\(run)")
        #expect(run.errors.contains("(--state names a directory that can be written)"), "\(run)")
    }

    @Test("names --catalogue when rules without messages are compiled without a catalogue")
    func catalogue() throws {
        let world = try CatalogueWorld()
        let rules = """
            { "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" }, "environment": "Sandbox",
              "rules": [ { "id": "r1", "serve": { "message": "reminder" } } ] }
            """
        try world.apple.folder.write(rules, to: "rules.json")
        let words = [
            "compile", world.apple.folder.path(of: "rules.json"), "-o",
            world.apple.folder.path(of: "app.rules.json"),
        ]
        let run = try Tool.run(words)
        let hint = "there is no message \"reminder\" (--catalogue names the catalogue that has it)"
        #expect(run.status == 65 && run.errors.contains(hint), "\(run)")
        #expect(try Tool.run(words + ["--catalogue", world.catalogue]).status == 0)
    }
}
