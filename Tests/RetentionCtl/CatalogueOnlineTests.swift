import JSON
import Support
import Synchronization
import System
import Testing

@Suite("retentionctl catalogue and Apple's server")
struct CatalogueOnlineTests {
    @Test("plan shows what apply does, and then nothing")
    func planAndApply() throws {
        let world = try CatalogueWorld()
        let plan = try world.run("plan")
        #expect(plan.status == 2, "\(plan.errors)")
        #expect(
            plan.output.hasPrefix(
                "Plan for com.example.app in Sandbox\n  + image  hero (hero.png, FULL_SIZE) as "
            )
        )
        #expect(
            plan.output.contains("  ~ default  monthly en-US, de-DE: reminder (what is set is not known)\n")
        )
        #expect(plan.output.contains("Calls: 2 Upload Image, 2 Upload Message, "))
        let refused = try world.run("apply")
        #expect(
            refused.status == 64 && refused.errors.contains("error: confirm.missing: Apply 9 changes to")
        )
        #expect(world.server.withState { $0.uploadCounts.isEmpty })
        let apply = try world.run("apply", ["--confirm"])
        #expect(apply.status == 0, "\(apply)")
        #expect(apply.output.contains("\nDone: 9 steps.\n"))
        #expect(world.server.withState { $0.violations } == [])
        #expect(world.server.withState { $0.defaults.count } == 4)
        let again = try world.run("plan", ["--json"])
        #expect(again.status == 0, "\(again)")
        let document = try Tool.document(again).root
        #expect(document.member("steps")?.count == 0)
        #expect(document.member("staying")?.member("defaults")?.int64 == 4)
        #expect(try world.run("apply").status == 0)
        // Without the state the default messages are set again, and nothing is uploaded.
        let elsewhere = ["--state", world.apple.folder.path(of: "other")]
        let anew = try world.run("plan", elsewhere)
        #expect(anew.status == 2 && anew.output.contains("  ~ default  monthly en-US, de-DE: "), "\(anew)")
        let refreshed = try world.run("plan", ["--refresh"] + elsewhere)
        #expect(refreshed.status == 0, "\(refreshed)")
        #expect(world.server.withState { $0.requests.filter { $0.hasPrefix("GET default/") }.count } == 4)
    }

    @Test("apply leaves to a later run what Apple has not approved")
    func waiting() throws {
        let world = try CatalogueWorld()
        world.server.withState { $0.approves = false }
        let first = try world.run("apply", ["--confirm", "--json"])
        #expect(first.status == 2, "\(first)")
        let outcomes = try Tool.document(first).root.member("steps")?.elements.compactMap {
            $0.member("outcome")?.string
        }
        #expect(outcomes?.count { $0 == "done" } == 4 && outcomes?.count { $0 == "waiting" } == 6)
        let plan = try world.run("plan")
        #expect(
            plan.status == 2
                && plan.output.contains("  . wait  until Apple has approved 2 images and 2 messages")
        )
        world.server.withState { $0.review() }
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        world.server.withState { state in
            #expect(
                state.defaults.count == 4 && state.url == "https://example.com/b" && state.violations.isEmpty
            )
        }
    }

    @Test("plan proposes a revision for what Apple rejected, and ends with 1 when only that is left")
    func rejected() throws {
        let world = try CatalogueWorld()
        world.server.withState { $0.approves = false }
        #expect(try world.run("apply", ["--confirm"]).status == 2)
        world.server.withState { $0.review("REJECTED") }
        let apply = try world.run("apply", ["--confirm"])
        #expect(apply.status == 1, "\(apply)")
        let plan = try world.run("plan")
        #expect(plan.status == 1, "\(plan)")
        #expect(
            plan.output.contains(
                "catalogue.rejected: Apple rejected the message reminder en-US; 2 default messages need it "
                    + "(change the content, or set \"revision\": 2 at messages.reminder.en-US for a new identifier)"
            )
        )
    }

    @Test("status says what is known, and which answer subscribers get")
    func views() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let rules = """
            { "format": 1, "app": { "appAppleId": 7, "bundleId": "com.example.app" }, "environment": "Sandbox",
              "rules": [ { "id": "r1", "when": { "fact": "productId", "eq": "annual" },
                "serve": { "message": "reminder" } } ] }
            """
        try world.apple.folder.write(rules, to: "rules.json")
        let options = ["--rules", world.apple.folder.path(of: "rules.json")]
        let status = try world.run("status", options)
        #expect(status.status == 0, "\(status.errors)")
        #expect(status.output.contains("rules.json: r1, 2 default messages\n"), "\(status.output)")
        let table = "\nproduct  en-US    de-DE\nmonthly  default  default\nannual   rules    rules\n"
        #expect(status.output.contains(table), "\(status.output)")
        let json = try Tool.document(try world.run("status", ["--json"])).root
        #expect(json.member("items")?.count == 4 && json.member("coverage")?.count == 4)
        // What was compiled names the same message.
        let compiled = world.apple.folder.path(of: "compiled.rules.json")
        let words = ["compile", options[1], "--catalogue", world.catalogue, "-o", compiled]
        #expect(try Tool.run(words).status == 0)
        let served = try world.run("status", ["--rules", compiled])
        #expect(served.output.contains("compiled.rules.json: r1, 2 default messages\n"), "\(served)")
    }

    @Test("apply --prune deletes what nothing names, after asking")
    func prune() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        // Another text: the old message is an orphan, and a default message until apply has replaced it.
        let changed = CatalogueWorld.text.replacing("\"H2\"", with: "\"H3\"")
        try world.apple.folder.write(changed, to: "catalogue.json")
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        #expect(try world.run("apply", ["--prune"]).status == 64)
        let prune = try world.run("apply", ["--prune", "--confirm"])
        #expect(prune.status == 0 && prune.output.contains("\n  - delete  message "), "\(prune)")
        #expect(
            prune.output.contains("(reminder de-DE), APPROVED\n")
                && prune.output.hasSuffix("\nDone: 1 step.\n"))
        #expect(world.server.withState { $0.messages.count } == 2)
        // Without a state, Apple is asked for the default messages before anything is deleted.
        try world.apple.folder.write(CatalogueWorld.text, to: "catalogue.json")
        let removed = CatalogueWorld.text.replacing("\"defaults\": { \"*\": \"reminder\" },", with: "")
            .replacing("\"B2\"", with: "\"B9\"")
        try world.apple.folder.write(removed, to: "catalogue.json")
        let other = try world.run(
            "apply", ["--prune", "--confirm", "--state", world.apple.folder.path(of: "other")])
        #expect(
            other.status == 0 && other.output.contains(": kept, named by default message of annual in de-DE"),
            "\(other)")
    }

    @Test("apply --prune keeps a message that another machine made a default message after the last look")
    func defaultOfAnotherMachine() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let old = try #require(world.server.withState { $0.defaults["annual/de-DE"] })
        let changed = CatalogueWorld.text.replacing("\"H2\"", with: "\"H3\"")
        try world.apple.folder.write(changed, to: "catalogue.json")
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        // This state has just set another one, so it knows of an orphan that nobody uses.
        world.server.withState { $0.defaults["annual/de-DE"] = old }
        let prune = try world.run("apply", ["--prune", "--confirm"])
        let kept = "(reminder de-DE), APPROVED: kept, named by default message of annual in de-DE\n"
        #expect(prune.status == 0 && prune.output.contains("Done: 0 steps.\n"), "\(prune)")
        #expect(prune.output.contains(kept), "\(prune)")
        #expect(world.server.withState { $0.messages[old] } != nil)
    }

    @Test("apply --prune asks for a default message whose call was lost, also of a product that is gone")
    func lostDefault() throws {
        let text = CatalogueWorld.text.replacing(", \"annual\": {}", with: "")
        let world = try CatalogueWorld(text)
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let set = try #require(world.server.withState { $0.defaults["monthly/en-US"] })
        // A new text, whose default message is about to be set when Apple's server fails.
        let changed = text.replacing("\"B1\"", with: "\"B9\"")
        try world.apple.folder.write(changed, to: "catalogue.json")
        world.server.withState { $0.failedPaths = ["PUT default/monthly/en-US"] }
        #expect(try world.run("apply", ["--confirm"]).status == 1)
        try world.apple.folder.write(changed.replacing("monthly", with: "weekly"), to: "catalogue.json")
        world.server.withState { $0.failedPaths = [] }
        let prune = try world.run("apply", ["--prune", "--confirm"])
        #expect(prune.status == 0, "\(prune)")
        let kept = "\(set) (reminder en-US), APPROVED: kept, named by default message of monthly in en-US\n"
        #expect(prune.output.contains(kept))
        #expect(world.server.withState { $0.messages[set] } != nil)
    }

    @Test("a line that shows progress on a terminal is removed before a line and before an error")
    func progressLine() throws {
        let world = try CatalogueWorld()
        world.server.withState { $0.failed = [1, 2, 3] }
        let words = [try ProgramRun.product("retentionctl")] + world.words("plan", ["--refresh"])
        let command = words.joined(separator: " ")
        let run = try ProgramRun.run("script", ["-q", "-e", "-c", command, "/dev/null"])
        #expect(run.status == 1, "\(run)")
        let progress = "\r\u{1B}[Kasking for default messages: 0 of 4"
        let line = "\r\u{1B}[KGet Default Message: apple.5000000; trying again in 2 s\r\n"
        #expect(run.output.contains(progress + line), "\(run.output.debugDescription)")
        #expect(run.output.contains("\u{1B}[K\u{1B}[31merror: apple.5000000: "))
    }

    @Test("a second process is refused while the state is in use, and a foreign file is left alone")
    func state() throws {
        let world = try CatalogueWorld()
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let state = world.apple.folder.path(of: "state")
        let names = try Directory.names(in: FileDescriptor.openDirectory(path: state), limitCount: 100)
        let name = try #require(names.first { $0.hasSuffix(".state.json") })
        do {
            let lock = try FileLock(path: "\(state)/\(name).lock")
            let apply = try world.run("apply", ["--confirm"])
            #expect(
                apply.status == 65 && apply.errors.contains("error: catalogue.state-locked: "), "\(apply)")
            #expect(try world.run("plan").status == 0)
            lock.unlock()
        }
        try world.apple.folder.write("notes\n", to: "state/\(name)")
        for command in ["apply", "plan", "status"] {
            let run = try world.run(command)
            #expect(run.status == 65 && run.errors.contains("error: catalogue.state: "), "\(run)")
        }
        #expect(try world.apple.folder.read("state/\(name)") == Array("notes\n".utf8))
    }

    /// The request of apply that uploads the first image: lists and the URL come before it.
    private static let firstUpload = 4

    @Test("a second apply during the first is refused, and nothing is uploaded twice")
    func twoProcesses() throws {
        let world = try CatalogueWorld()
        let words = world.words("apply", ["--confirm"])
        let second = SharedRun()
        world.server.withState { state in
            state.strike = { number, moment in
                guard number == Self.firstUpload, moment == .before else { return }
                second.run = try? Tool.run(words)
            }
        }
        #expect(try world.run("apply", ["--confirm"]).status == 0)
        let run = try #require(second.run)
        #expect(run.status == 65 && run.errors.contains("error: catalogue.state-locked: "), "\(run)")
        #expect(
            world.server.withState {
                $0.uploadCounts.count == 4 && $0.uploadCounts.values.allSatisfy { $0 == 1 }
            }
        )
        #expect(world.server.withState { $0.violations } == [])
    }

    @Test("a catalogue that changes during apply changes nothing of it; a changed image is not uploaded")
    func changedFiles() throws {
        let world = try CatalogueWorld()
        let (catalogue, image) = (world.catalogue, world.apple.folder.path(of: "tick.png"))
        let changed = CatalogueWorld.text.replacing("\"H2\"", with: "\"H9\"")
        var dark = TestPNG(1024, 1024)
        (dark.colorType, dark.bitDepth, dark.fill) = (0, 1, 0)
        let bytes = dark.bytes()
        world.server.withState { state in
            state.strike = { number, moment in
                guard number == Self.firstUpload, moment == .before else { return }
                try? AtomicFile.write(Array(changed.utf8).span, to: catalogue)
                try? AtomicFile.write(bytes.span, to: image)
            }
        }
        let apply = try world.run("apply", ["--confirm"])
        #expect(
            apply.status == 1 && apply.output.contains("catalogue.image-file: tick.png"), "\(apply)")
        #expect(apply.output.contains("\n  . message reminder en-US\n"), "\(apply)")
        // The German text needs the other image alone. It was uploaded as it was when the run began.
        #expect(world.server.withState { $0.images.count == 1 && $0.messages.count == 1 })
        let plan = try Tool.document(try world.run("plan", ["--json"])).root
        let steps = plan.member("steps")?.elements.compactMap { $0.member("do")?.string }
        #expect(steps?.filter { $0 == "uploadMessage" }.count == 2 && steps?.contains("uploadImage") == true)
        #expect(plan.member("orphans")?.count == 1)
    }

    @Test(
        "the command line is checked",
        arguments: [
            ("apply", ["--wait-limit", "5"], 64, "--wait-limit needs --wait"),
            ("apply", ["--prune", "--environment", "Production"], 64, "--prune needs --rules"),
            ("plan", ["--bundle-id", "com.example.other"], 64, "input.other-app"),
        ] as [(String, [String], Int32, String)]
    )
    func usage(command: String, options: [String], status: Int32, words: String) throws {
        let run = try CatalogueWorld().run(command, options)
        #expect(run.status == status && run.errors.contains(words), "\(run)")
    }
}

/// The result of a run that another thread starts.
private final class SharedRun: Sendable {
    private let result = Mutex<ProgramRun?>(nil)

    var run: ProgramRun? {
        get { result.withLock { $0 } }
        set { result.withLock { $0 = newValue } }
    }
}
