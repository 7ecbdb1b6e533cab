internal import AppStoreServerAPI
internal import JSON
public import Vocabulary

/// Adds to a catalogue what Apple has and a map names: images and texts that the catalogue lacks, pins of their identifiers,
/// default messages that the journal knows, and the URL. Nothing that the catalogue has is changed, and nothing is guessed.
///
/// Pure but for the files of images: the same catalogue, map, lists and knowledge always give the same text.
public struct CatalogueAdoption: Sendable {
    /// The text of the catalogue with everything that was added.
    public let text: [UInt8]
    /// Everything that was added, and everything that was left out.
    public let report: AdoptionReport

    /// Adopts what a map names.
    ///
    /// - Parameters:
    ///   - map: the map.
    ///   - source: the text of a catalogue without errors.
    ///   - files: the images of the catalogue, and those that the map names.
    ///   - inventory: Apple's lists, with the URL.
    ///   - knowledge: what the journal knows of default messages.
    ///   - environment: the environment of the lists.
    /// - Throws: all errors. Those with a line are about the map.
    public init(
        _ map: AdoptionMap, to source: [UInt8], images files: ImageFiles, inventory: AppleInventory,
        knowledge: JournalKnowledge, environment: Environment
    ) throws(CatalogueError) {
        let source = source.withoutByteOrderMark
        let base = CheckedCatalogue(source, images: files)
        let naming = try AdoptionNaming(map, source, base, inventory, environment)
        let places = AdoptionFindings(map)
        let named = CheckedCatalogue(naming.text, images: files)
        try places.check(named.findings)
        let findings = AdoptionMap.collector(for: map.source)
        AdoptionComparison(catalogue: named.catalogue, findings: findings)
            .compare(naming.images, naming.messages)
        guard findings.isEmpty else { throw CatalogueError(findings: findings.sorted) }

        let owner = JournalOwner(bundleId: map.bundleId, environment: environment)
        var report = AdoptionReport(owner: owner.description)
        report.knownCount = naming.knownCount
        // The identifiers of texts depend on the pins of their images.
        var images = AdoptionPinning(naming.text, named, environment)
        report.named = images.pin(naming.images)
        let illustrated = CheckedCatalogue(images.editor.text, images: files)
        try places.check(illustrated.findings)
        var pinning = AdoptionPinning(images.editor.text, illustrated, environment)
        report.named += pinning.pin(naming.messages)
        let pinned = CheckedCatalogue(pinning.editor.text, images: files)
        try places.check(pinned.findings)

        var defaults = AdoptionDefaults(
            pinning.editor.text, try pinned.resolved(for: environment), pinned.catalogue)
        (report.defaults, report.leftDefaults) = defaults.add(knowledge)
        if let url = inventory.realtimeURL, url != pinned.catalogue.realtimeURLs[environment] {
            if defaults.add(url, environment) {
                report.realtimeURL = url
            } else {
                report.leftRealtimeURL = url
            }
        }
        let result = CheckedCatalogue(defaults.editor.text, images: files)
        try places.check(result.findings)
        text = defaults.editor.text

        let known = try result.resolved(for: environment).items
        let uses = knowledge.defaultPlaces
        report.unnamed = inventory.allItems.filter { !known.contains($0.item) }.map { item, state in
            AdoptionReport.Unnamed(
                item: item, state: state.rawValue,
                places: item.kind == .message ? uses[item.identifier] ?? [] : [])
        }
        self.report = report
    }
}
