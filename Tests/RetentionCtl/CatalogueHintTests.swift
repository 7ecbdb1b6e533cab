import JSON
import Support
import Testing

@Suite("retentionctl catalogue says what to do", .timeLimit(.minutes(5)))
struct CatalogueHintTests {
    @Test("names --state when the state's directory cannot be written")
    func state() throws {
        let world = try CatalogueWorld()
        // Nobody can make a directory there, not even root.
        let state = ["--state", "/sys/retention-test"]
        #expect(try world.run("plan", state).status == 2)
        let run = try world.run("apply", state)
        #expect(run.status == 77, "\(run)")
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

    @Test("notes uploads to Production that Sandbox has not seen, once its journal is there, and goes on")
    func sandbox() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let tried = try world.run("plan", ["--environment", "Production"])
        #expect(tried.status == 2 && !tried.output.contains("not-tried-in-sandbox"), "\(tried)")
        let changed = CatalogueWorld.text.replacing("\"H2\"", with: "\"H3\"")
        try world.apple.folder.write(changed, to: "catalogue.json")
        let plan = try world.run("plan", ["--environment", "Production"])
        let note =
            "  i note  note: catalogue-plan.not-tried-in-sandbox: 1 of 4 uploads was never approved in Sandbox, "
            + "as far as the journal knows: first the message reminder de-DE ("
        #expect(plan.status == 2 && plan.output.contains(note), "\(plan)")
        let document = try Tool.document(try world.run("plan", ["--environment", "Production", "--json"]))
            .root
        #expect(document.member("notes")?.count == 1 && document.member("problems")?.count == 0)
    }

    @Test("plan names a URL that the catalogue no longer names")
    func url() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let member = ",\n  \"realtimeURL\": { \"Sandbox\": \"https://example.com/b\" }"
        try world.apple.folder.write(CatalogueWorld.text.replacing(member, with: ""), to: "catalogue.json")
        let plan = try world.run("plan")
        let line = "  - url https://example.com/b, which Apple still asks"
        #expect(plan.status == 0 && plan.output.contains(line), "\(plan)")
    }
}
