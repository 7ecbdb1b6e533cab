public import Catalogue
public import Vocabulary

/// A page for people, in one HTML file: the messages of a catalogue as Apple's sheet shows them, with their states, the answers
/// that subscribers get, and who uses what.
///
///     let images = try PageImages(resolved) { file throws(ImageFiles.Problem) in try files.bytes(file) }
///     let page = CataloguePage(
///         catalogue, resolved: resolved, status: status, coverage: coverage, uses: uses, images: images
///     )
///     let html = page.bytes
///
/// Pure: equal values give equal bytes. The page has no script, loads nothing and names no other page.
public struct CataloguePage: Sendable {
    let catalogue: Catalogue
    let resolved: ResolvedCatalogue
    let status: CatalogueStatus
    let coverage: CatalogueCoverage
    let uses: CatalogueUses
    let images: PageImages
    /// What lint finds, and what keeps Apple from having what the catalogue wants.
    public var findings: [Finding] = []
    /// Where the states come from.
    public var source = StateSource.journal
    /// What is known of the URL that Apple asks.
    public var realtimeURL = KnownURL.unknown

    /// Combines the values of a page.
    ///
    /// - Parameters:
    ///   - catalogue: the catalogue.
    ///   - resolved: the same catalogue with the identifiers of an environment.
    ///   - status: its states in that environment.
    ///   - coverage: the answers that subscribers get.
    ///   - uses: the rules that use its messages.
    ///   - images: its images.
    public init(
        _ catalogue: Catalogue, resolved: ResolvedCatalogue, status: CatalogueStatus,
        coverage: CatalogueCoverage, uses: CatalogueUses, images: PageImages
    ) {
        self.catalogue = catalogue
        self.resolved = resolved
        self.status = status
        self.coverage = coverage
        self.uses = uses
        self.images = images
    }

    public var bytes: [UInt8] {
        let index = PageIndex(self)
        var page = HTMLWriter()
        page.head(self)
        page.open("body")
        page.summary(self, index)
        page.open("main")
        page.review(self, index)
        page.coverage(self)
        page.messages(self, index)
        page.images(self, index)
        page.orphans(self)
        page.findings(findings)
        page.close("main", endsLine: true)
        page.footer()
        page.close("body", endsLine: true)
        page.close("html", endsLine: true)
        return page.bytes
    }
}
