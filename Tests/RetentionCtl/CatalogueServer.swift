import JSON
import Support
import Synchronization
import System

/// What Apple's server has, for tests of `retentionctl catalogue`: the operations that a catalogue needs, over HTTP on loopback.
final class CatalogueServer: Sendable {
    /// When a fault strikes a request that changes something.
    enum Moment: CaseIterable {
        case before
        case after
        case answered
    }

    struct State {
        var approves = true
        var images: [String: String] = [:]
        var messages: [String: (state: String, images: [String])] = [:]
        var defaults: [String: String] = [:]
        var url: String?
        /// How often an upload was accepted, by its identifier.
        var uploadCounts: [String: Int] = [:]
        /// Uploads of an identifier that exists, and defaults that are not approved.
        var violations: [String] = []
        /// The requests so far.
        var requests: [String] = []
        /// Called with the number of each request, from 1, and the moment.
        var strike: @Sendable (Int, Moment) -> Void = { _, _ in }
        /// The numbers of requests whose answer is lost, or replaced by a 500, after the work was done.
        var lost: Set<Int> = []
        var failed: Set<Int> = []
        /// The requests that Apple's server answers with 500 before it does anything.
        var failedPaths: Set<String> = []

        /// Approves what is pending.
        mutating func review(_ state: String = "APPROVED") {
            for key in images.keys where images[key] == "PENDING" { images[key] = state }
            for key in messages.keys where messages[key]?.state == "PENDING" { messages[key]?.state = state }
        }
    }

    private let mutex = Mutex(State())

    /// Reads or changes the state.
    func withState<Result: Sendable>(_ body: @Sendable (inout State) -> Result) -> Result {
        mutex.withLock { body(&$0) }
    }

    func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
        let path = request.path.replacing("/inApps/v1/messaging/", with: "")
        let (number, strike) = withState { state in
            state.requests.append("\(request.method) \(path)")
            return (state.requests.count, state.strike)
        }
        strike(number, .before)
        let reply = withState { state in
            guard !state.failedPaths.contains("\(request.method) \(path)") else {
                return AppleWorld.refusal(5_000_000)
            }
            let reply = state.perform(request.method, path, request.body)
            if state.lost.contains(number) { return LoopbackServer.Reply.close }
            return state.failed.contains(number) ? AppleWorld.refusal(5_000_000) : reply
        }
        strike(number, .after)
        try? ServiceThread.start { strike(number, .answered) }
        return reply
    }
}

extension CatalogueServer.State {
    fileprivate mutating func perform(_ method: String, _ path: String, _ body: [UInt8])
        -> LoopbackServer.Reply
    {
        let parts = path.split(separator: "?")[0].split(separator: "/").map(String.init)
        switch (method, parts[0], parts.count > 1 ? parts[1] : "") {
        case ("GET", "image", "list"):
            let list = images.map { #"{"imageIdentifier":"\#($0)","imageState":"\#($1)"}"# }
            return AppleWorld.json(#"{"imageIdentifiers":[\#(list.joined(separator: ","))]}"#)
        case ("GET", "message", "list"):
            let list = messages.map { #"{"messageIdentifier":"\#($0)","messageState":"\#($1.state)"}"# }
            return AppleWorld.json(#"{"messageIdentifiers":[\#(list.joined(separator: ","))]}"#)
        case ("PUT", "image", let identifier):
            guard accept(identifier, images[identifier] != nil) else { return AppleWorld.refusal(4_090_000) }
            images[identifier] = approves ? "APPROVED" : "PENDING"
        case ("PUT", "message", let identifier):
            guard accept(identifier, messages[identifier] != nil) else {
                return AppleWorld.refusal(4_090_001)
            }
            messages[identifier] = (approves ? "APPROVED" : "PENDING", Self.images(of: body))
        case ("DELETE", "image", let identifier): images[identifier] = nil
        case ("DELETE", "message", let identifier): messages[identifier] = nil
        case ("PUT", "default", _): return setDefault(parts[1...].joined(separator: "/"), body)
        case ("GET", "default", _):
            guard let identifier = defaults[parts[1...].joined(separator: "/")] else {
                return AppleWorld.refusal(4_040_020)
            }
            return AppleWorld.json(#"{"messageIdentifier":"\#(identifier)"}"#)
        case ("GET", "realtime", _):
            guard let url else { return AppleWorld.refusal(4_040_021) }
            return AppleWorld.json(#"{"realtimeURL":"\#(url)"}"#)
        case ("PUT", "realtime", _): url = Self.member("realtimeURL", body)
        default: return AppleWorld.refusal(4_000_000)
        }
        return AppleWorld.json("")
    }

    private mutating func accept(_ identifier: String, _ exists: Bool) -> Bool {
        guard !exists else {
            violations.append("upload of \(identifier) again")
            return false
        }
        uploadCounts[identifier, default: 0] += 1
        return true
    }

    private mutating func setDefault(_ place: String, _ body: [UInt8]) -> LoopbackServer.Reply {
        guard let identifier = Self.member("messageIdentifier", body), let message = messages[identifier],
            message.state == "APPROVED", message.images.allSatisfy({ images[$0] == "APPROVED" })
        else {
            violations.append("default \(place)")
            return AppleWorld.refusal(4_030_017)
        }
        defaults[place] = identifier
        return AppleWorld.json("")
    }

    private static func member(_ name: String, _ body: [UInt8]) -> String? {
        let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
        return (try? JSONDocument(parsing: body.span, limits: limits))?.root.member(named: name)?.string
    }

    private static func images(of body: [UInt8]) -> [String] {
        let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
        guard let root = (try? JSONDocument(parsing: body.span, limits: limits))?.root else { return [] }
        let all = [root.member("image")].compactMap { $0 } + (root.member("bulletPoints")?.elements ?? [])
        return all.compactMap { $0.member("imageIdentifier")?.string }
    }
}

/// A catalogue in a folder of its own, and the server that it is applied to.
final class CatalogueWorld {
    static let text = """
        {
          "format": 1,
          "app": { "appAppleId": 7, "bundleId": "com.example.app" },
          "namespace": "5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41",
          "locales": ["en-US", "de-DE"],
          "products": { "monthly": {}, "annual": {} },
          "images": {
            "hero": { "file": "hero.png", "size": "FULL_SIZE" },
            "tick": { "file": "tick.png", "size": "BULLET_POINT" }
          },
          "messages": {
            "reminder": {
              "kind": "text", "image": "hero",
              "en-US": {
                "header": "H1", "body": "B1", "imageAltText": "A1",
                "bulletPoints": [{ "text": "T1", "image": "tick", "altText": "A2" }]
              },
              "de-DE": { "header": "H2", "body": "B2", "imageAltText": "A3" }
            }
          },
          "defaults": { "*": "reminder" },
          "realtimeURL": { "Sandbox": "https://example.com/b" }
        }
        """

    let server: CatalogueServer
    let apple: AppleWorld
    var catalogue: String { apple.folder.path(of: "catalogue.json") }

    convenience init(_ text: String = CatalogueWorld.text) throws {
        let server = CatalogueServer()
        try self.init(text, server, apple: AppleWorld { server.answer($0) })
    }

    /// Uses another server than ``CatalogueServer``.
    convenience init(apple: AppleWorld) throws {
        try self.init(CatalogueWorld.text, CatalogueServer(), apple: apple)
    }

    private init(_ text: String, _ server: CatalogueServer, apple: AppleWorld) throws {
        self.server = server
        self.apple = apple
        var hero = TestPNG(3840, 160)
        (hero.colorType, hero.bitDepth) = (0, 1)
        var tick = TestPNG(1024, 1024)
        (tick.colorType, tick.bitDepth) = (0, 1)
        try apple.folder.write(hero.bytes(), to: "hero.png")
        try apple.folder.write(tick.bytes(), to: "tick.png")
        try apple.folder.write(text, to: "catalogue.json")
    }

    func words(_ command: String, _ more: [String] = []) -> [String] {
        // --bundle-id is the catalogue's.
        ["catalogue", command, catalogue, "--state", apple.folder.path(of: "state")]
            + apple.options.dropLast(2) + more
    }

    /// Runs a command, and looks for secrets in all that it wrote.
    func run(_ command: String, _ more: [String] = []) throws -> ProgramRun {
        let run = try Tool.run(words(command, more))
        apple.checkSecrets(run)
        return run
    }
}
