import JSON
import Support
import System

/// A catalogue of an app of its own at a simulator, and processes that apply it and are killed.
struct ApplyScene {
    /// When a process is killed.
    enum Phase: CaseIterable {
        /// Sandbox, where one run does everything.
        case sandbox
        /// Production, during the run that uploads.
        case uploads
        /// Production, during the run that sets what Apple has approved in between.
        case defaults

        var environment: Environment { self == .sandbox ? .sandbox : .production }
        /// The status of the run when it is not killed: the uploads in Production wait for the review.
        var status: Int32 { self == .uploads ? 2 : 0 }
    }

    let world: SimulatorWorld
    let bundleId: String
    let phase: Phase
    /// False when each run begins without a state, as in a build job.
    let keepsState: Bool
    private let catalogue: String
    private let wanted: Wanted

    /// What the simulator must have in the end.
    struct Wanted {
        var images: Set<String> = []
        var messages: Set<String> = []
        var defaults: [String: String] = [:]
        var url: String?
    }

    /// Writes the images that all catalogues of a world share.
    static func writeImages(in folder: TemporaryDirectory) throws {
        for (name, width, height) in [("hero.png", 3840, 160), ("tick.png", 1024, 1024)] {
            var image = TestPNG(UInt32(width), UInt32(height))
            (image.colorType, image.bitDepth) = (0, 1)
            try folder.write(image.bytes(), to: name)
        }
    }

    /// Writes the catalogue, and asks for the plan, which names what the simulator must have in the end.
    init(_ world: SimulatorWorld, _ bundleId: String, _ phase: Phase, keepsState: Bool) throws {
        self.world = world
        self.bundleId = bundleId
        self.phase = phase
        self.keepsState = keepsState
        catalogue = world.folder.path(of: "\(bundleId).json")
        try world.folder.write(Self.text(bundleId), to: "\(bundleId).json")
        let options = world.options(phase.environment, state: "\(bundleId).plan")
        let run = try world.run(["catalogue", "plan", catalogue, "--json"] + options)
        guard run.status == 2 else { throw Complaint("no plan: \(run)") }
        let limits = JSONLimits(byteCount: 1 << 20, depth: 16)
        let bytes = Array(run.output.utf8)
        let plan = try JSONDocument(parsing: bytes.span, limits: limits).root
        wanted = Wanted(plan.member("steps")?.elements ?? [])
        guard wanted.images.count == 2, wanted.messages.count == 4, wanted.defaults.count == 4,
            wanted.url != nil
        else { throw Complaint("another plan: \(run.output)") }
    }

    /// Runs apply once, with further entries of the environment.
    func apply(_ environment: [String] = []) throws -> ProgramRun {
        let options = world.options(phase.environment, state: bundleId)
        let words = ["catalogue", "apply", catalogue, "--confirm"]
        return try world.run(words + options, environment: environment)
    }

    /// Does what must be done before the run that is killed.
    func prepare() throws {
        guard phase == .defaults else { return }
        let run = try apply()
        guard run.status == 2 else { throw Complaint("\(bundleId): the uploads fail: \(run)") }
        try review()
        try forget()
    }

    /// Approves everything that waits in Production.
    func review() throws {
        guard phase != .sandbox else { return }
        try world.approveAll(bundleId, .production)
    }

    /// Forgets the state, unless the scene keeps it.
    func forget() throws {
        let state = world.folder.path(of: bundleId)
        guard !keepsState, (try? FileStatus(path: state)) != nil else { return }
        try Directory.rename(state, to: "\(state).\(Clock.monotonicNanoseconds())")
    }

    /// Runs apply until everything is done, at most `limit` times, and after each run reviews what waits. Returns what went
    /// wrong, or nil when everything is done.
    func finish(limit: Int) throws -> String? {
        var last: ProgramRun?
        for _ in 0..<limit {
            try forget()
            let run = try apply()
            if run.status == 0 { return nil }
            last = run
            if run.status == 2 { try review() }
        }
        return "\(bundleId) is not done after \(limit) runs: \(String(describing: last))"
    }

    /// Compares what the simulator has with the plan, and looks at how it answered each call. Returns what is wrong.
    func complaints(_ state: JSONValue) -> [String] {
        let environment = phase.environment.rawValue
        var wrong: [String] = []
        guard
            let found = state.member("state")?.member("apps")?.member(named: bundleId)?.member(
                named: environment
            )
        else { return ["\(bundleId): the simulator has nothing"] }
        let images = (found.member("images")?.members ?? []).map(\.name)
        let messages = (found.member("messages")?.members ?? []).map(\.name)
        if Set(images) != wanted.images { wrong.append("images \(images)") }
        if Set(messages) != wanted.messages { wrong.append("messages \(messages)") }
        let count = Int64(wanted.images.count + wanted.messages.count)
        if found.member("uploadCount")?.int64 != count { wrong.append("uploads") }
        let defaults = (found.member("defaults")?.members ?? []).map { ($0.name, $0.value.string ?? "") }
        if Dictionary(defaults, uniquingKeysWith: { $1 }) != wanted.defaults {
            wrong.append("default messages")
        }
        if found.member("realtimeURL")?.string != wanted.url { wrong.append("URL") }
        if let folder = try? FileDescriptor.openDirectory(path: world.folder.path(of: bundleId)),
            let names = try? Directory.names(in: folder, limitCount: 100),
            names.contains(where: { $0.hasPrefix(".") })
        {
            wrong.append("left behind: \(names)")
        }
        // A 409 is a second upload, a 403 or 404 a default message whose parts are not approved, a 429 a call too many.
        let calls = state.member("calls")?.member(named: bundleId)?.member(named: environment)
        for (operation, statuses) in calls?.members ?? [] {
            for (status, number) in statuses.members where status != "200" {
                if operation == "getURL", status == "404" { continue }
                wrong.append("\(operation) \(status) \(number.int64 ?? 0) times")
            }
        }
        return wrong.map { "\(bundleId): \($0)" }
    }

    private static func text(_ bundleId: String) -> String {
        """
        {
          "format": 1,
          "app": { "appAppleId": 7, "bundleId": "\(bundleId)" },
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
            },
            "offer": {
              "kind": "offer",
              "en-US": { "header": "H3", "body": "B3" }, "de-DE": { "header": "H4", "body": "B4" }
            }
          },
          "defaults": { "*": "reminder" },
          "realtimeURL": { "Production": "https://example.com/a", "Sandbox": "https://example.com/b" }
        }
        """
    }
}

extension ApplyScene.Wanted {
    init(_ steps: [JSONValue]) {
        for step in steps {
            let identifier = step.member("identifier")?.string
            switch step.member("do")?.string {
            case "uploadImage": images.insert(identifier ?? "")
            case "uploadMessage": messages.insert(identifier ?? "")
            case "setDefault":
                let place = [step.member("product")?.string, step.member("locale")?.string]
                defaults[place.compactMap { $0 }.joined(separator: " ")] = identifier
            case "setURL": url = step.member("url")?.string
            default: break
            }
        }
    }
}
