internal import AppStoreServerAPI
package import System

package struct SimulatorState: Sendable, Hashable, Codable {
    var apps: [String: AppState] = [:]

    package init() {}

    subscript(bundleId: String) -> AppState {
        get { apps[bundleId] ?? AppState() }
        set { apps[bundleId] = newValue }
        _modify { yield &apps[bundleId, default: AppState()] }
    }
}

struct AppState: Sendable, Hashable, Codable {
    private enum CodingKeys: String, CodingKey {
        case production = "Production"
        case sandbox = "Sandbox"
        case tests, hasPassedTest
    }

    var production = EnvironmentState(approvesAtOnce: false)
    var sandbox = EnvironmentState(approvesAtOnce: true)
    var tests: [PerformanceTestRun] = []
    /// True once a performance test has passed. Apple does not say how long a pass counts; here it counts for ever.
    var hasPassedTest = false

    subscript(environment: Environment) -> EnvironmentState {
        get { environment == .production ? production : sandbox }
        set {
            if environment == .production { production = newValue } else { sandbox = newValue }
        }
        _modify {
            if environment == .production { yield &production } else { yield &sandbox }
        }
    }
}

struct EnvironmentState: Sendable, Hashable, Codable {
    /// True in Sandbox, where the system approves everything by itself.
    let approvesAtOnce: Bool
    var images: [UUID: StoredImage] = [:]
    var messages: [UUID: StoredMessage] = [:]
    var defaults: [ProductLocale: UUID] = [:]
    var realtimeURL: String?
    var notices = NotificationState()
    var deletedImages: Set<UUID> = []
    var deletedMessages: Set<UUID> = []
    var uploadCount: Int64 = 0

    var firstState: ReviewState { approvesAtOnce ? .approved : .pending }

    var listedMessages: [(UUID, StoredMessage)] {
        messages.sorted { $0.value.sequence < $1.value.sequence }.map { ($0.key, $0.value) }
    }

    var listedImages: [(UUID, StoredImage)] {
        images.sorted { $0.value.sequence < $1.value.sequence }.map { ($0.key, $0.value) }
    }
}

struct StoredImage: Sendable, Hashable, Codable {
    var state: ReviewState
    let size: ImageSize
    let width: Int64
    let height: Int64
    let byteCount: Int64
    let digest: String
    let sequence: Int64
}

struct StoredMessage: Sendable, Hashable, Codable {
    var state: ReviewState
    let content: UploadMessageRequestBody
    let sequence: Int64

    var images: [UUID] {
        (content.image.map { [$0.imageIdentifier] } ?? []) + content.bulletPoints.map(\.imageIdentifier)
    }
}

extension SimulatorState {
    /// A performance test that was running counts as failed, because nothing ends it any more.
    package init(json text: [UInt8]) throws(ToolError) {
        guard let state = try? AppleJSON.decode(Self.self, text) else {
            throw ToolError(code: "simulator-state.damaged", "not a state of the simulator, or damaged")
        }
        self = state
        for bundleId in apps.keys {
            for index in self[bundleId].tests.indices { self[bundleId].tests[index].expire() }
        }
    }

    package var json: [UInt8] { AppleJSON.encode(self) + [UInt8(ascii: "\n")] }
}
