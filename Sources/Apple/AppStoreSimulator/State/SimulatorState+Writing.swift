internal import AppStoreServerAPI
internal import AppStoreTraffic
internal import JSON
internal import Vocabulary

extension SimulatorState {
    /// The version of the state's text. Version 2 added the notifications.
    static let format: Int64 = 2
    /// The oldest version that can be read.
    static let oldestFormat: Int64 = 1

    /// The state as JSON text, for a file. Equal states have equal texts.
    public var json: [UInt8] { node(hasPayloads: true).serialized() + [UInt8(ascii: "\n")] }

    /// The state as JSON: for a file with the JWS of the notifications, for people without.
    func node(hasPayloads: Bool) -> JSONNode {
        let apps = apps.sorted { $0.key < $1.key }.map { ($0.key, $0.value.node(hasPayloads)) }
        return .object([("format", .integer(Self.format)), ("apps", .object(apps))])
    }
}

extension AppState {
    fileprivate func node(_ hasPayloads: Bool) -> JSONNode {
        .object([
            ("hasPassedTest", .boolean(hasPassedTest)), ("Production", production.node(hasPayloads)),
            ("Sandbox", sandbox.node(hasPayloads)), ("tests", .array(tests.map(\.node))),
        ])
    }
}

extension PerformanceTestRun {
    fileprivate var node: JSONNode {
        .object([
            ("requestId", .string(requestId.description)), ("target", .string(target)),
            ("config", configuration.config.json), ("startedMilliseconds", .integer(startedMilliseconds)),
            ("outcome", outcome.map { $0.response($0.result).json } ?? .null),
        ])
    }
}

extension EnvironmentState {
    fileprivate func node(_ hasPayloads: Bool) -> JSONNode {
        .object([
            ("uploadCount", .integer(uploadCount)),
            ("realtimeURL", realtimeURL.map { .string($0) } ?? .null),
            ("images", .array(listedImages.map { $1.node($0.description) })),
            ("messages", .array(listedMessages.map { $1.node($0.description) })),
            (
                "defaults",
                .array(
                    defaults.sorted { $0.key < $1.key }.map { place, identifier in
                        .object([
                            ("productId", .string(place.productId)), ("locale", .string(place.locale)),
                            ("messageIdentifier", .string(identifier.description)),
                        ])
                    }
                )
            ),
            ("notices", notices.node(hasPayloads: hasPayloads)),
            ("deletedImages", .array(deletedImages.map(\.description).sorted().map { .string($0) })),
            ("deletedMessages", .array(deletedMessages.map(\.description).sorted().map { .string($0) })),
        ])
    }
}

extension StoredImage {
    fileprivate func node(_ identifier: String) -> JSONNode {
        .object([
            ("imageIdentifier", .string(identifier)), ("imageState", .string(state.rawValue)),
            ("imageSize", .string(size.rawValue)), ("width", .integer(width)), ("height", .integer(height)),
            ("byteCount", .integer(byteCount)), ("sha256", .string(digest)), ("sequence", .integer(sequence)),
        ])
    }
}

extension StoredMessage {
    fileprivate func node(_ identifier: String) -> JSONNode {
        let limits = JSONLimits(byteCount: SimulatorLimits.jsonByteCount, depth: SimulatorLimits.jsonDepth)
        let content = (try? JSONDocument(parsing: content.json.span, limits: limits)).map {
            JSONNode($0.root)
        }
        return .object([
            ("messageIdentifier", .string(identifier)), ("messageState", .string(state.rawValue)),
            ("sequence", .integer(sequence)), ("content", content ?? .null),
        ])
    }
}
