public import AppStoreServerAPI
internal import Vocabulary

/// Asks Apple for default messages, one call each, and records the answers.
public struct DefaultRefresh {
    private let api: any RetentionMessagingAPI
    private let journal: CatalogueJournal
    private let now: () -> Int64

    /// Makes a refresh. No call is made yet.
    ///
    /// - Parameters:
    ///   - api: the client.
    ///   - journal: the journal of the same app, environment and server.
    ///   - now: returns the time, milliseconds since 1970.
    public init(_ api: any RetentionMessagingAPI, journal: CatalogueJournal, now: @escaping () -> Int64) {
        self.api = api
        self.journal = journal
        self.now = now
    }

    /// Asks for the default messages of products and locales, and for those that the journal knows of others, or began to set.
    ///
    /// - Parameters:
    ///   - wanted: the products and locales.
    ///   - progress: called before each call with the number of calls that are done, and of all calls.
    /// - Throws: the error of the first call that failed. The answers before it are recorded.
    public func run(
        _ wanted: [ProductLocale],
        progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(ApplyFailure) {
        var places = wanted
        let named = Set(wanted)
        places += (Array(journal.knowledge.defaults.keys) + journal.knowledge.unsettledDefaults)
            .filter { !named.contains($0) }.sorted()
        for (index, place) in places.enumerated() {
            progress(index, places.count)
            let identifier = try AppStoreServerAPIError.mapped(
                to: ApplyFailure.api, try api.defaultMessage(productId: place.product, locale: place.locale))
            try CatalogueJournalError.mapped(
                to: ApplyFailure.journal, try journal.record(.defaultAsked(place, identifier), at: now()))
        }
    }
}
