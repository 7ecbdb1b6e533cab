public import DataFiles
public import Vocabulary

/// The messages of a catalogue (retention-catalogue(5)), which rules may serve by their names as if they stood in `messages`.
public struct CatalogueMessages: Sendable, Hashable {
    /// The number of the catalogue's app in the App Store.
    public var appAppleId: Int64
    /// The bundle identifier of the catalogue's app.
    public var bundleId: String
    /// The messages for each environment, since an identifier holds in one environment.
    public var messages: [Environment: [RulesModel.Message]]
    /// The images of each message, by the identifier of the message. Apple's lists do not say that.
    public var images: [UUID: [UUID]]

    public init(
        appAppleId: Int64, bundleId: String, messages: [Environment: [RulesModel.Message]],
        images: [UUID: [UUID]] = [:]
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.messages = messages
        self.images = images
    }
}
