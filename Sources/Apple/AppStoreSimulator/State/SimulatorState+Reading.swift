internal import AppStoreServerAPI
internal import AppStoreTraffic
internal import JSON
internal import Vocabulary

extension SimulatorState {
    /// Reads the text that ``json`` gives.
    public init(json text: [UInt8]) throws(SimulatorStateError) {
        let limits = JSONLimits(byteCount: SimulatorLimits.stateByteCount, depth: 16)
        guard let root = try? JSONDocument(parsing: text.span, limits: limits).root,
            let format = root.member("format")?.int64
        else { throw .damaged("the text") }
        guard format <= Self.format else { throw .newer }
        guard (Self.oldestFormat...Self.format).contains(format), let apps = root.member("apps"),
            apps.kind == .object
        else {
            throw .damaged("apps")
        }
        self.init()
        for (bundleId, value) in apps.members {
            guard let app = AppState(value) else { throw .damaged(bundleId) }
            self.apps[bundleId] = app
        }
    }
}

extension AppState {
    /// Reads an app. A performance test that was running counts as failed, because no process ends it any more.
    fileprivate init?(_ value: JSONValue) {
        guard let hasPassed = value.member("hasPassedTest")?.boolean,
            let production = value.member("Production").flatMap({
                EnvironmentState($0, approvesAtOnce: false)
            }),
            let sandbox = value.member("Sandbox").flatMap({ EnvironmentState($0, approvesAtOnce: true) }),
            let tests = list(value.member("tests"), PerformanceTestRun.init)
        else { return nil }
        self.production = production
        self.sandbox = sandbox
        self.tests = tests
        hasPassedTest = hasPassed
    }
}

extension PerformanceTestRun {
    fileprivate init?(_ value: JSONValue) {
        guard let requestId = value.member("requestId")?.string.flatMap({ UUID($0) }),
            let target = value.member("target")?.string, let config = value.member("config"),
            let started = value.member("startedMilliseconds")?.int64, let outcome = value.member("outcome")
        else { return nil }
        var configuration = PerformanceTestConfiguration()
        guard let concurrent = config.member("maxConcurrentRequests")?.int64,
            let total = config.member("totalRequests")?.int64,
            let duration = config.member("totalDuration")?.int64,
            let time = config.member("responseTimeThreshold")?.int64,
            let rate = config.member("successRateThreshold")?.int64
        else { return nil }
        configuration.maxConcurrentRequests = concurrent
        configuration.totalRequests = total
        configuration.totalDuration = duration
        configuration.responseTimeThreshold = time
        configuration.successRateThreshold = rate
        guard (try? configuration.check()) != nil else { return nil }
        self.init(
            requestId: requestId, target: target, configuration: configuration, startedMilliseconds: started,
            outcome: PerformanceTestOutcome(pendingCount: total))
        guard outcome.kind != .null else { return }
        guard let outcome = PerformanceTestOutcome(outcome) else { return nil }
        self.outcome = outcome
    }
}

extension EnvironmentState {
    fileprivate init?(_ value: JSONValue, approvesAtOnce: Bool) {
        self.init(approvesAtOnce: approvesAtOnce)
        guard let count = value.member("uploadCount")?.int64, (0...Int64.max / 2).contains(count),
            let images = list(value.member("images"), StoredImage.entry),
            let messages = list(value.member("messages"), StoredMessage.entry),
            let defaults = list(value.member("defaults"), DefaultPlace.entry),
            let deletedImages = list(value.member("deletedImages"), { $0.string.flatMap { UUID($0) } }),
            let deletedMessages = list(value.member("deletedMessages"), { $0.string.flatMap { UUID($0) } })
        else { return nil }
        uploadCount = count
        realtimeURL = value.member("realtimeURL")?.string
        // A state of the first format has none.
        if let notices = value.member("notices") {
            guard let notices = NotificationState(notices) else { return nil }
            self.notices = notices
        }
        for (identifier, image) in images { self.images[identifier] = image }
        for (identifier, message) in messages { self.messages[identifier] = message }
        for (place, identifier) in defaults { self.defaults[place] = identifier }
        self.deletedImages = Set(deletedImages)
        self.deletedMessages = Set(deletedMessages)
        // The operations rely on this: no identifier stands twice, and every default message may be shown.
        guard self.images.count == images.count, self.messages.count == messages.count,
            self.defaults.values.allSatisfy(isShowable)
        else { return nil }
    }
}

extension StoredImage {
    fileprivate static func entry(_ value: JSONValue) -> (UUID, StoredImage)? {
        guard let identifier = value.member("imageIdentifier")?.string.flatMap({ UUID($0) }),
            let state = value.member("imageState")?.string,
            let size = value.member("imageSize")?.string.flatMap(ImageSize.init),
            let width = value.member("width")?.int64, let height = value.member("height")?.int64,
            let byteCount = value.member("byteCount")?.int64, let digest = value.member("sha256")?.string,
            let sequence = value.member("sequence")?.int64
        else { return nil }
        let image = StoredImage(
            state: ReviewState(rawValue: state), size: size, width: width, height: height,
            byteCount: byteCount, digest: digest, sequence: sequence)
        return (identifier, image)
    }
}

extension StoredMessage {
    fileprivate static func entry(_ value: JSONValue) -> (UUID, StoredMessage)? {
        guard let identifier = value.member("messageIdentifier")?.string.flatMap({ UUID($0) }),
            let state = value.member("messageState")?.string, let sequence = value.member("sequence")?.int64,
            let content = value.member("content").flatMap(MessageReading.stored)
        else { return nil }
        let message = StoredMessage(state: ReviewState(rawValue: state), content: content, sequence: sequence)
        return (identifier, message)
    }
}

extension DefaultPlace {
    fileprivate static func entry(_ value: JSONValue) -> (DefaultPlace, UUID)? {
        guard let productId = value.member("productId")?.string, let locale = value.member("locale")?.string,
            let identifier = value.member("messageIdentifier")?.string.flatMap({ UUID($0) })
        else { return nil }
        return (DefaultPlace(productId: productId, locale: locale), identifier)
    }
}

/// Reads the elements of an array. Returns nil when the value is not an array, or an element cannot be read.
private func list<Element>(_ value: JSONValue?, _ read: (JSONValue) -> Element?) -> [Element]? {
    guard let value, value.kind == .array else { return nil }
    let elements = value.elements.compactMap(read)
    return elements.count == value.count ? elements : nil
}
