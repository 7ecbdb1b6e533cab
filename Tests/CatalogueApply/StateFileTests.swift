import AppStoreServerAPI
@testable import Catalogue
import Support
import System
import Testing

@Suite("The state file")
struct StateFileTests {
    private let folder: TemporaryDirectory
    private static let name = StateFile.name(bundleId: "com.example.app", environment: .sandbox, server: nil)
    private var directory: String { folder.path(of: "state") }

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func open() throws(ToolError) -> StateFile {
        try StateFile(directory: directory, name: Self.name)
    }

    @Test("has everything again that was known")
    func roundTrip() throws {
        let world = ApplyWorld(Wanted.small())
        world.apple.refusals = ["annual": .invalidProductId, Wanted.uuid(1, 1).description: .invalidImage]
        world.apple.messages[Wanted.uuid(2, 9)] = (.other("NEW"), [])
        _ = try world.run()
        try open().change {
            $0 = world.stored
            $0.add(.defaultStarted(ProductLocale(product: "monthly", locale: "en-US")), at: 5)
            $0.add(.defaultSet(ProductLocale(product: "weekly", locale: "en-US"), nil), at: 6)
        }
        let state = try open().state
        #expect(state.items == world.stored.items && state.realtimeURL == world.stored.realtimeURL)
        #expect(state.unsettled.count == 1 && state.defaults.count == world.stored.defaults.count + 1)
        #expect(StateFile.bytes(of: state).count < 2000)
    }

    @Test("is one for each app, environment and server")
    func names() {
        func name(_ environment: Environment, _ server: String?) -> String {
            StateFile.name(bundleId: "com.example.app", environment: environment, server: server)
        }
        #expect(name(.production, nil) == "com.example.app-Production.state.json")
        #expect(
            name(.sandbox, "https://localhost:8443")
                == "com.example.app-Sandbox-https---localhost-8443.state.json")
    }

    @Test("locks out a second process, and only that")
    func lock() throws {
        let first = try open()
        let error = #expect(throws: ToolError.self) { _ = try open() }
        #expect(error?.code == "catalogue.state-locked")
        #expect(try StateFile.openIfPossible(directory: directory, name: Self.name).state == first.state)
        withExtendedLifetime(first) {}
    }

    @Test(
        "refuses another file, and leaves it as it is",
        arguments: [
            ("", "not a state"), ("notes", "not a state"), ("{}", "not a state"), ("[1]", "not a state"),
            (#"{"format":2,"state":{}}"#, "newer"), (#"{"format":1,"state":{}}"#, "not a state"),
            (#"{"format":1,"state":{"items":{"image 7":{}},"defaults":{},"unsettled":{}}}"#, "not a state"),
            (#"{"format":1,"state":{"items":{},"defaults":{"p":{"time":1}},"unsettled":{}}}"#, "not a state"),
        ]
    )
    func foreign(text: String, words: String) throws {
        try folder.makeDirectory("state")
        try folder.write(text, to: "state/\(Self.name)")
        do {
            _ = try open()
            Issue.record("accepted")
        } catch {
            #expect(error.code == "catalogue.state" && error.description.contains(words))
        }
        #expect(try folder.read("state/\(Self.name)") == Array(text.utf8))
    }

    @Test("refuses a directory in its place, and sends nothing without it")
    func unwritable() throws {
        try folder.write("", to: "state")
        #expect(throws: ToolError.self) { _ = try open() }
        let apple = FakeApple()
        let file = StateFile { _ throws(ToolError) in throw ToolError(code: "full", "full") }
        let apply = CatalogueApply(
            CataloguePlan(Wanted.small(), AppleState()), apple.client(), file,
            timing: ClientTiming(now: { 0 }, sleep: { _ in }), readImage: { _ in Wanted.png })
        #expect(apply.run(images: [:], wait: .none).failure?.code == "full")
        #expect(apple.images.isEmpty)
    }
}
